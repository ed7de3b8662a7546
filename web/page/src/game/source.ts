/** What kind of thing somebody brings along: one link, one position, or a text of games. */
export type Source =
  | { readonly kind: "link"; readonly hash: string }
  | { readonly kind: "fen"; readonly fen: string }
  | { readonly kind: "games" };

/** Longer than any link or position. */
const LONGEST = 20_000;

/** What kind of thing a text seems to be: by its form alone, whatever it holds. */
export function sourceOf(text: string): Source {
  if (text.length > LONGEST) return { kind: "games" };
  const bare = text.replace(/^[\s\uFEFF<]+|[\s>]+$/g, "");
  const hash = /^[^\s#]*(#.*)$/.exec(bare)?.[1];
  if (hash !== undefined || /^(https?|file):/.test(bare)) return { kind: "link", hash: hash ?? "" };
  // Rows of a board: no move, tag or result has two slashes.
  const isFen = /^(MFEN\/|[^\s/[\]{}()]*\/[^\s/]*\/)/.test(bare) && !/[\r\n]/.test(bare);
  return isFen ? { kind: "fen", fen: bare } : { kind: "games" };
}

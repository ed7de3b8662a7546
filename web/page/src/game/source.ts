/** The kind of an import: one link, one position, or a text of games. */
export type Source =
  | { readonly kind: "link"; readonly hash: string }
  | { readonly kind: "fen"; readonly fen: string }
  | { readonly kind: "games" };

/** Longer than any link or position. */
const LONGEST = 20_000;

/** Returns the kind of a text, judged only by its form. */
export function sourceOf(text: string): Source {
  if (text.length > LONGEST) return { kind: "games" };
  const bare = text.replace(/^[\s\uFEFF<]+|[\s>]+$/g, "");
  const hash = /^[^\s#]*(#.*)$/.exec(bare)?.[1];
  if (hash !== undefined || /^(https?|file):/.test(bare)) return { kind: "link", hash: hash ?? "" };
  // Rows of a board: no move, tag or result has two slashes.
  const isFen = /^(MFEN\/|[^\s/[\]{}()]*\/[^\s/]*\/)/.test(bare) && !/[\r\n]/.test(bare);
  return isFen ? { kind: "fen", fen: bare } : { kind: "games" };
}

/** The searchable parts of a game. */
export interface Findable {
  /** Names, variant and result, as shown and as written. */
  readonly text: string;
  /** The moves of its line. */
  readonly moves: readonly string[];
}

/**
 * Returns a text without differences that a quick search ignores: capitals, accents, kinds of dashes, spaces in
 * results.
 */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("⁄", "/")
    .replace(/[‐-―−]/g, "-")
    .replace(/(?<=[\d/]) ?([:-]) ?(?=\d)/g, "$1");
}

/**
 * Returns a filter for games that match all words of a query. A word is part of the text, or the next of the opening
 * moves. The last word may be the beginning of a move, since the user may still be typing. Move numbers are ignored.
 */
export function finder(query: string): (game: Findable) => boolean {
  const words = fold(query)
    .split(/[\s,]+/)
    .map((word) => word.replace(/^\d+\.+/, ""))
    .filter((word) => word !== "");
  return ({ text, moves }) => {
    const folded = fold(text);
    let ply = 0;
    return words.every((word, i) => {
      const next = moves[ply]?.toLowerCase();
      const bare = /^[a-z]\d-[a-z]\d/.test(word) ? word.replace("-", "") : word;
      const isNext = next !== undefined && (i + 1 === words.length ? next.startsWith(bare) : next === bare);
      if (isNext) ply += 1;
      return isNext || folded.includes(word);
    });
  };
}

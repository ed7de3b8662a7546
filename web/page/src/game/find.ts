/** What a game is found by. */
export interface Findable {
  /** Names, variant and result, as they are shown and as they are written. */
  readonly text: string;
  /** The moves of its line. */
  readonly moves: readonly string[];
}

/** A text without what one leaves out when one types in a hurry: capitals, accents, kinds of dashes, spaces in results. */
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
 * Tells which games have all words of a query. A word is part of the text, or the next of the opening moves; the last
 * one may be the beginning of a move, since it may still be being typed. Numbers of moves mean nothing.
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

import type { Side } from "millbrain";
import { other } from "./text.js";
import type { Mark, TreeNode } from "./tree.js";

/** Number of moves of each side with each mark, worst first. */
export type Mistakes = Readonly<Record<Side, ReadonlyMap<Mark, number>>>;

const MARKS = ["??", "?", "?!"] as const satisfies readonly Mark[];

/** Whether a line of moves was reviewed. */
export const isReviewed = (played: readonly TreeNode[]): boolean =>
  played.some(({ loss }) => loss !== undefined);

/**
 * Counts the mistakes in a line of moves, of which `first` makes the first one; returns `undefined` before a review.
 */
export function mistakesOf(played: readonly TreeNode[], first: Side): Mistakes | undefined {
  if (!isReviewed(played)) return undefined;
  const of = (side: Side) => {
    const own = played.filter((_, i) => (i % 2 === 0 ? first : other(first)) === side);
    const counts = MARKS.map((mark) => [mark, own.filter((node) => node.mark === mark).length] as const);
    return new Map(counts.filter(([, n]) => n > 0));
  };
  return { white: of("white"), black: of("black") };
}

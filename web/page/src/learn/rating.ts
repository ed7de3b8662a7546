import { type Puzzle, puzzleId } from "./puzzles.js";

/** The initial rating, and its bounds. */
export const FIRST_RATING = 1000;
export const LEAST_RATING = 400;
export const MOST_RATING = 2400;

/** Rating points per level that fails, and the rating of the easiest puzzles. */
const GRADE = 100;
const EASIEST = 700;
/** Rating difference between the player and the next puzzle: about two of three are solved. */
const BELOW = 100;

/** Returns the rating of a puzzle, on the scale of the players. */
export function puzzleRating({ difficulty }: Pick<Puzzle, "difficulty">): number {
  return EASIEST + GRADE * difficulty;
}

/**
 * Returns a player's rating after the first try at a puzzle; the first ones count most. `played` is the number of
 * earlier tries.
 */
export function rate(player: number, puzzle: number, isSolved: boolean, played: number): number {
  const expected = 1 / (1 + 10 ** ((puzzle - player) / 400));
  const weight = Math.max(20, 80 - 5 * played);
  const rating = Math.round(player + weight * ((isSolved ? 1 : 0) - expected));
  return Math.min(MOST_RATING, Math.max(LEAST_RATING, rating));
}

/**
 * Returns the next puzzle for a player: an untried one of the most suitable difficulty; then an unsolved one, then any
 * except the last. `chance` is from 0 to below 1.
 */
export function choosePuzzle(
  puzzles: readonly Puzzle[],
  {
    rating,
    tried,
    last,
  }: { rating: number; tried: Readonly<Record<string, boolean>>; last?: string | undefined },
  chance: number,
): Puzzle | undefined {
  const others = puzzles.filter((puzzle) => puzzleId(puzzle) !== last);
  const fresh = others.filter((puzzle) => tried[puzzleId(puzzle)] === undefined);
  const failed = others.filter((puzzle) => tried[puzzleId(puzzle)] === false);
  const choice = [fresh, failed, others, puzzles].find((list) => list.length > 0) ?? [];
  const distance = (puzzle: Puzzle) => Math.abs(puzzleRating(puzzle) - (rating - BELOW));
  const least = Math.min(...choice.map(distance));
  const fitting = choice.filter((puzzle) => distance(puzzle) === least);
  return fitting[Math.floor(chance * fitting.length)];
}

import { type Puzzle, puzzleId } from "./puzzles.js";

/** Where a rating begins, and its bounds. */
export const FIRST_RATING = 1000;
export const LEAST_RATING = 400;
export const MOST_RATING = 2400;

/** Points that one grade of difficulty is worth, and those of the easiest puzzles. */
const GRADE = 150;
const EASIEST = 700;
/** So much below the player the next puzzle is: about two of three are solved. */
const BELOW = 100;

/** The rating of a puzzle, on the scale of the players. */
export function puzzleRating({ difficulty }: Pick<Puzzle, "difficulty">): number {
  return EASIEST + GRADE * difficulty;
}

/** A player's rating after the first try at a puzzle; the first ones count most. `played` is how many came before. */
export function rate(player: number, puzzle: number, isSolved: boolean, played: number): number {
  const expected = 1 / (1 + 10 ** ((puzzle - player) / 400));
  const weight = Math.max(20, 80 - 5 * played);
  const rating = Math.round(player + weight * ((isSolved ? 1 : 0) - expected));
  return Math.min(MOST_RATING, Math.max(LEAST_RATING, rating));
}

/**
 * The next puzzle for a player: of those not tried yet, one of the difficulty that fits best; then of those that were not
 * solved, then of all but the last. `chance` is from 0 to below 1.
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

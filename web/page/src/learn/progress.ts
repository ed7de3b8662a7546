import type { Variant } from "millbrain";
import * as v from "valibot";
import { FIRST_RATING, LEAST_RATING, MOST_RATING, puzzleRating, rate } from "./rating.js";
import { type Puzzle, puzzleId } from "./puzzles.js";

const count = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

/** What a learner has done with the puzzles of a variant. */
const SOLVER = v.object({
  rating: v.fallback(
    v.pipe(v.number(), v.integer(), v.minValue(LEAST_RATING), v.maxValue(MOST_RATING)),
    FIRST_RATING,
  ),
  /** The puzzles tried, by their ids, and whether the first try or a later one has solved them. */
  tried: v.fallback(v.record(v.string(), v.boolean()), {}),
  /** Puzzles solved at once, one after the other, and the most so far. */
  row: count,
  best: count,
  /** The last day of which the puzzle was tried, whether it was solved at once, and how many days in a row it was. */
  day: v.fallback(v.pipe(v.number(), v.safeInteger()), 0),
  daySolved: v.fallback(v.boolean(), false),
  days: count,
});

const PROGRESS = v.object({
  /** The ids of the lessons that are done, with their family: `smess.arrows`. */
  lessons: v.fallback(v.array(v.string()), []),
  solvers: v.fallback(v.record(v.string(), v.fallback(SOLVER, v.parse(SOLVER, {}))), {}),
});

export type Solver = v.InferOutput<typeof SOLVER>;
export type Progress = v.InferOutput<typeof PROGRESS>;

/** The progress in a stored text; what cannot be read begins anew. */
export function readProgress(text: string | null): Progress {
  let data: unknown;
  try {
    data = JSON.parse(text ?? "{}");
  } catch {
    data = {};
  }
  return v.parse(PROGRESS, typeof data === "object" && data !== null && !Array.isArray(data) ? data : {});
}

export const solverOf = ({ solvers }: Progress, variant: Variant): Solver =>
  solvers[variant] ?? v.parse(SOLVER, {});

export function withLesson(progress: Progress, id: string): Progress {
  return progress.lessons.includes(id) ? progress : { ...progress, lessons: [...progress.lessons, id] };
}

/** After the first try at a puzzle. One that was tried before changes no rating; `day` is that of a puzzle of the day. */
export function withTry(
  progress: Progress,
  puzzle: Puzzle,
  { isSolved, day }: { isSolved: boolean; day?: number | undefined },
): Progress {
  const before = solverOf(progress, puzzle.variant);
  const id = puzzleId(puzzle);
  const played = Object.keys(before.tried).length;
  const isNew = before.tried[id] === undefined;
  // The puzzle of the day, looked at again, is no part of a run.
  const row = !isSolved ? 0 : isNew || day === undefined ? before.row + 1 : before.row;
  const days = isSolved ? (before.daySolved && before.day === (day ?? 0) - 1 ? before.days + 1 : 1) : 0;
  const isNewDay = day !== undefined && day !== before.day;
  const solver: Solver = {
    ...before,
    ...(isNew ? { rating: rate(before.rating, puzzleRating(puzzle), isSolved, played) } : {}),
    tried: { ...before.tried, [id]: isSolved || before.tried[id] === true },
    row,
    best: Math.max(before.best, row),
    ...(isNewDay ? { day, daySolved: isSolved, days } : {}),
  };
  return { ...progress, solvers: { ...progress.solvers, [puzzle.variant]: solver } };
}

/** After a puzzle was solved that had been missed at first. */
export function withLateSolution(progress: Progress, puzzle: Puzzle): Progress {
  const before = solverOf(progress, puzzle.variant);
  const tried = { ...before.tried, [puzzleId(puzzle)]: true };
  return { ...progress, solvers: { ...progress.solvers, [puzzle.variant]: { ...before, tried } } };
}

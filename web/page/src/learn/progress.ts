import type { Variant } from "millbrain";
import * as v from "valibot";
import { FIRST_RATING, LEAST_RATING, MOST_RATING, puzzleRating, rate } from "./rating.js";
import { type Puzzle, puzzleId } from "./puzzles.js";

const count = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

/** A learner's results with the puzzles of a variant. */
const SOLVER = v.object({
  rating: v.fallback(
    v.pipe(v.number(), v.integer(), v.minValue(LEAST_RATING), v.maxValue(MOST_RATING)),
    FIRST_RATING,
  ),
  /** The tried puzzles by ID, and whether the first or a later try solved them. */
  tried: v.fallback(v.record(v.string(), v.boolean()), {}),
  /** The current run of puzzles solved at once, and the longest. */
  row: count,
  best: count,
  /** The last day whose puzzle was tried, whether it was solved at once, and the current run of days. */
  day: v.fallback(v.pipe(v.number(), v.safeInteger()), 0),
  daySolved: v.fallback(v.boolean(), false),
  days: count,
});

const PROGRESS = v.object({
  /** IDs of the finished lessons, with their family: `smess.arrows`. */
  lessons: v.fallback(v.array(v.string()), []),
  solvers: v.fallback(v.record(v.string(), v.fallback(SOLVER, v.parse(SOLVER, {}))), {}),
});

export type Solver = v.InferOutput<typeof SOLVER>;
export type Progress = v.InferOutput<typeof PROGRESS>;

/** Reads the progress from a stored text; unreadable parts are reset. */
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

/**
 * Returns the progress after the first try at a puzzle. A repeated puzzle changes no rating; `day` is the day of a
 * daily puzzle.
 */
export function withTry(
  progress: Progress,
  puzzle: Puzzle,
  { isSolved, day }: { isSolved: boolean; day?: number | undefined },
): Progress {
  const before = solverOf(progress, puzzle.variant);
  const id = puzzleId(puzzle);
  const played = Object.keys(before.tried).length;
  const isNew = before.tried[id] === undefined;
  // A repeated daily puzzle is not part of a run.
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

/** Returns the progress after a puzzle was solved that was missed at first. */
export function withLateSolution(progress: Progress, puzzle: Puzzle): Progress {
  const before = solverOf(progress, puzzle.variant);
  const tried = { ...before.tried, [puzzleId(puzzle)]: true };
  return { ...progress, solvers: { ...progress.solvers, [puzzle.variant]: { ...before, tried } } };
}

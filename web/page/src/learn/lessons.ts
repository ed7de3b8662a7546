import type { Ruleset } from "millbrain";
import { rules } from "../engine/rules.js";
import type { Goal } from "./goals.js";

/** A part of a lesson. */
export interface Step {
  readonly goal: Goal;
  /** Number of moves for the learner; default one. */
  readonly moves?: number;
}

/** A position to play from, an entry of the file of its family. Its ID selects its texts. */
export interface Lesson {
  readonly id: string;
  readonly rules: Ruleset;
  /** Defaults to the start of the game. */
  readonly fen?: string;
  readonly steps: readonly Step[];
  /** The other side's preferred replies: it plays the first legal one. */
  readonly replies: readonly string[];
  /** The learner's moves, shown on request. */
  readonly solution: readonly string[];
}

const FILES = import.meta.glob<readonly Lesson[]>("./lessons/*.json", { eager: true, import: "default" });

/** The lessons of the families, in learning order. */
export const LESSONS: Readonly<Record<string, readonly Lesson[]>> = Object.fromEntries(
  Object.entries(FILES).map(([path, lessons]) => [path.replace(/^.*\/|\.json$/g, ""), lessons]),
);

const points = ([first]: readonly Lesson[]) => (first ? rules().layout(first.rules).points.length : 0);

/** Returns the lessons of all families, those on the smallest boards first. */
export function allLessons(): Lesson[] {
  return Object.values(LESSONS)
    .sort((a, b) => points(a) - points(b))
    .flat();
}

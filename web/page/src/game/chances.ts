import type { Ruleset, Score, Side } from "millbrain";
import { rules } from "../engine/rules.js";
import type { Mark } from "./tree.js";

/** Returns White's chances, from 0 to 1, for the score of the side to move. */
export function whiteChances(ruleset: Ruleset, score: Score, side: Side): number {
  const own = rules().expectedPoints(ruleset, score);
  return side === "white" ? own : 1 - own;
}

export function negate(score: Score): Score {
  return "mate" in score ? { mate: -score.mate } : { cp: -score.cp };
}

/** Returns the mark of a move with this loss of chances. */
export function markOf(loss: number): Mark | undefined {
  return rules()
    .marks()
    .find(([least]) => loss >= least)?.[1] as Mark | undefined;
}

/** Returns the minimum loss for this mark. */
export function leastLoss(mark: string | undefined): number {
  return (
    rules()
      .marks()
      .find(([, own]) => own === mark)?.[0] ?? 0
  );
}

/** Formats a score as in game records: `+0.35`, `-1.20`, `+M4`, `-M2`. */
export function scoreText(score: Score): string {
  if ("mate" in score) return `${score.mate > 0 ? "+" : "-"}M${Math.abs(score.mate)}`;
  return `${score.cp < 0 ? "-" : "+"}${(Math.abs(score.cp) / 100).toFixed(2)}`;
}

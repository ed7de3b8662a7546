import type { Score, Side } from "millbrain";
import type { Mark } from "./tree.js";

/** The engine's own model of winning chances (its `wdl`): half the games are won at 150 hundredths of a stone. */
const EVEN = 150;
const SPREAD = 90;
const wins = (cp: number) => 1 / (1 + Math.exp((EVEN - cp) / SPREAD));

/** Points to be expected from a score, from 0 (lost) to 1 (won). */
export function chances(score: Score): number {
  // Mate in 0: the game has been lost.
  if ("mate" in score) return score.mate > 0 ? 1 : 0;
  return (1 + wins(score.cp) - wins(-score.cp)) / 2;
}

/** White's chances, from the score of the side to move. */
export function whiteChances(score: Score, side: Side): number {
  return side === "white" ? chances(score) : 1 - chances(score);
}

export function negate(score: Score): Score {
  return "mate" in score ? { mate: -score.mate } : { cp: -score.cp };
}

/** Losses in chances from which a move is marked; a server's annotations have the same. */
const MARKS: readonly [number, Mark][] = [
  [0.2, "??"],
  [0.1, "?"],
  [0.05, "?!"],
];

export function markOf(loss: number): Mark | undefined {
  return MARKS.find(([least]) => loss >= least)?.[1];
}

/** `+0.35`, `-1.20`, `+M4`, `-M2`: as in records of games. */
export function scoreText(score: Score): string {
  if ("mate" in score) return `${score.mate > 0 ? "+" : "-"}M${Math.abs(score.mate)}`;
  return `${score.cp < 0 ? "-" : "+"}${(Math.abs(score.cp) / 100).toFixed(2)}`;
}

/** The inverse of `scoreText`. */
export function readScore(text: string): Score | undefined {
  const mate = /^([+-])M(\d+)$/.exec(text);
  if (mate) return { mate: Number(mate[1] + (mate[2] as string)) };
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? { cp: Math.round(Number(text) * 100) } : undefined;
}

import type { Line, Score } from "millbrain";
import type { ToldMove } from "../engine/server.js";

/** The value of each move by the tables, from its mover: moves to a win, to a loss (negative), or 0. */
export type TableValues = ReadonlyMap<string, number>;

/** Wins and losses that a draw rule may prevent score 1000 minus their distance in plies. */
const STOPPED = 1000;

export function tableValue(score: Score): number {
  if ("mate" in score) return score.mate;
  if (Math.abs(score.cp) < STOPPED / 2) return 0;
  const plies = Math.max(1, STOPPED - Math.abs(score.cp));
  return Math.sign(score.cp) * Math.ceil(plies / 2);
}

/** Returns the values of the moves if the tables know all of them: then nothing was searched. */
export function tableValues(lines: readonly Line[]): TableValues | undefined {
  if (lines.length === 0 || lines.some((line) => line.nodes > 0 || line.tbhits === 0)) return undefined;
  return new Map(
    lines.flatMap((line) => (line.pv[0] === undefined ? [] : [[line.pv[0], tableValue(line.score)]])),
  );
}

/** Returns the values of the moves from a server, if it knows all of them. */
export function toldValues(told: readonly ToldMove[]): TableValues | undefined {
  const values = told.map(({ move, value, plies }): [string, number] => {
    const moves = Math.max(1, Math.ceil((plies ?? Number.NaN) / 2));
    return [move, value === "draw" ? 0 : value === "win" ? moves : value === "loss" ? -moves : Number.NaN];
  });
  return values.length === 0 || values.some(([, value]) => Number.isNaN(value)) ? undefined : new Map(values);
}

/** Returns the rank of a value, best first: quick wins, draws, late losses. */
export function tableRank(value: number): number {
  return value > 0 ? 2000 - value : value === 0 ? 0 : -2000 - value;
}

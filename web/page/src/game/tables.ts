import type { Line, Score } from "millbrain";
import type { ReportedMove } from "../engine/server.js";

/** The value of a move by the tables, for its mover. */
export interface TableValue {
  /** Moves to a win, to a loss (negative), or 0 for a draw. */
  readonly moves: number;
  /** Whether the draw counter may stop the win or loss. */
  readonly isDoubtful: boolean;
}

export type TableValues = ReadonlyMap<string, TableValue>;

/** Wins and losses that a draw rule may prevent score 1000 minus their distance in plies. */
const STOPPED = 1000;

export function tableValue(score: Score): TableValue {
  if ("mate" in score) return { moves: score.mate, isDoubtful: false };
  if (Math.abs(score.cp) < STOPPED / 2) return { moves: 0, isDoubtful: false };
  const plies = Math.max(1, STOPPED - Math.abs(score.cp));
  return { moves: Math.sign(score.cp) * Math.ceil(plies / 2), isDoubtful: Math.abs(score.cp) < STOPPED };
}

/** Returns the values of the moves if the tables know all of them: then nothing was searched. */
export function tableValues(lines: readonly Line[]): TableValues | undefined {
  if (lines.length === 0 || lines.some((line) => line.nodes > 0 || line.tbhits === 0)) return undefined;
  return new Map(
    lines.flatMap((line) => (line.pv[0] === undefined ? [] : [[line.pv[0], tableValue(line.score)]])),
  );
}

/** Returns the values of the moves from a server, if it knows all of them. */
export function reportedValues(reported: readonly ReportedMove[]): TableValues | undefined {
  const values = reported.map(({ move, value, plies, category }): [string, TableValue] => {
    const away = Math.max(1, Math.ceil((plies ?? Number.NaN) / 2));
    const isDrawn = value === "draw" || category === "cursed-win" || category === "blessed-loss";
    const moves = isDrawn ? 0 : value === "win" ? away : value === "loss" ? -away : Number.NaN;
    return [move, { moves, isDoubtful: category?.startsWith("maybe-") ?? false }];
  });
  if (values.length === 0 || values.some(([, { moves }]) => Number.isNaN(moves))) return undefined;
  return new Map(values);
}

/** Returns the rank of a value: quick wins are the best, then doubtful ones, draws, doubtful and late losses. */
export function tableRank({ moves, isDoubtful }: TableValue): number {
  const decided = isDoubtful ? 2000 : 4000;
  return moves > 0 ? decided - moves : moves === 0 ? 0 : -decided - moves;
}

import type { Position, ProbedMove, Ruleset } from "millbrain";
import { rules } from "../engine/rules.js";

/** The value of a move by the tables, for its mover. */
export interface TableValue {
  readonly value: "win" | "draw" | "loss";
  /** Moves to the win or loss, if the tables have distances. */
  readonly moves?: number;
  /** Whether the draw counter may stop the win or loss. */
  readonly isDoubtful: boolean;
}

export type TableValues = ReadonlyMap<string, TableValue>;

/** Returns the value of a move by the tables; `undefined` if they do not know it. */
export function tableValue({ value, plies, category }: Omit<ProbedMove, "move">): TableValue | undefined {
  if (value === "unknown") return undefined;
  if (value === "draw" || category === "cursed-win" || category === "blessed-loss")
    return { value: "draw", isDoubtful: false };
  // Without a distance every win may be too long for the draw counter, which says nothing of this one.
  if (plies === undefined) return { value, isDoubtful: false };
  const moves = Math.max(1, Math.ceil(plies / 2));
  return { value, moves, isDoubtful: category?.startsWith("maybe-") ?? false };
}

/** Returns the values of the moves by the tables, if they know all of them. */
export function tableValues(probed: readonly ProbedMove[]): TableValues | undefined {
  const values = new Map<string, TableValue>();
  for (const { move, ...known } of probed) {
    const value = tableValue(known);
    if (value === undefined) return undefined;
    values.set(move, value);
  }
  return values.size === 0 ? undefined : values;
}

/**
 * Returns values of moves in a game: one that ends it in a draw, such as by a repetition, is drawn. Tables know the
 * position alone.
 */
export function valuesInGame(
  ruleset: Ruleset,
  { fen, moves = [] }: Position,
  values: TableValues,
): TableValues {
  const inGame = ([move, value]: [string, TableValue]): [string, TableValue] => {
    const { ending } = rules().state(ruleset, { fen, moves: [...moves, move] });
    return [move, ending?.winner === null ? { value: "draw", isDoubtful: false } : value];
  };
  return new Map([...values].map(inGame));
}

/** Whether the distance of every win and loss is known. */
export const hasDistances = (values: TableValues): boolean =>
  [...values.values()].every(({ value, moves }) => value === "draw" || moves !== undefined);

/** A distance beyond all others, for values without one. */
const FAR = 1000;

/** Returns the rank of a value: quick wins are the best, then doubtful ones, draws, doubtful and late losses. */
export function tableRank({ value, moves = FAR, isDoubtful }: TableValue): number {
  const decided = isDoubtful ? 2 * FAR : 4 * FAR;
  return value === "draw" ? 0 : value === "win" ? decided - moves : moves - decided;
}

/** Returns the chances of the mover, from 0 to 1. */
export const tableChance = ({ value }: TableValue): number =>
  value === "win" ? 1 : value === "draw" ? 0.5 : 0;

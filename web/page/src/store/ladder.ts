import { FULL, type Player } from "../game/players.js";
import type { ListedGame } from "./games/stored.js";

/** A finished game of a person against a computer. */
export interface Result {
  /** The rules as text. */
  readonly rules: string;
  /** The level of the computer. */
  readonly level: number;
  /** The person's points: 1, ½ or 0. */
  readonly points: number;
}

/** Number of games considered before another level is offered. */
const GAMES = 2;

/** Returns the result for the level, if a person has finished the game against a computer. */
export function resultOf({ rules, players, outcome }: ListedGame): Result | undefined {
  if (players === undefined || outcome === undefined || outcome === "none") return undefined;
  const { white, black } = players;
  if (white.kind === black.kind) return undefined;
  const [side, computer]: [string, Player] = white.kind === "human" ? ["white", black] : ["black", white];
  const points = outcome === "draw" ? 0.5 : outcome === side ? 1 : 0;
  return { rules: JSON.stringify(rules), level: computer.level, points };
}

/**
 * Returns the level to offer after these games, latest first: one up or down after every two consecutive games by the
 * same rules against the same level, if both were won or both lost.
 */
export function nextLevel(results: readonly Result[]): number | undefined {
  const [last] = results;
  if (last === undefined) return undefined;
  const other = results.findIndex(({ rules, level }) => rules !== last.rules || level !== last.level);
  const streak = results.slice(0, other < 0 ? results.length : other);
  if (streak.length % GAMES !== 0) return undefined;
  const points = streak.slice(0, GAMES).reduce((sum, result) => sum + result.points, 0);
  const level = last.level + (points === GAMES ? 1 : points === 0 ? -1 : 0);
  return level === last.level || level < 0 || level > FULL ? undefined : level;
}

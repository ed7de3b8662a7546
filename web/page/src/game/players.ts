import type { Limits, OptionValues, Side } from "millbrain";
import { type Clock, clockLimits, controlText, type TimeControl } from "./clock.js";

/** The player of a side. */
export interface Player {
  kind: "human" | "computer";
  /** Name of a person. */
  name?: string | undefined;
  /** `Skill Level`, 0 to 20. */
  level: number;
  /** Milliseconds per move. */
  time: (typeof TIMES)[number];
}

export const MOST_NAME = 40;
export const FULL = 20;
/** The level for new users: beatable after a few games. */
export const NEW_LEVEL = 2;
export const TIMES = [100, 300, 1000, 2000, 5000, 10_000, 30_000] as const;

/**
 * Returns the search settings of this player, by its time per move or by a clock. Levels end by themselves at their
 * depth.
 */
export function searching(player: Player, clock?: Clock, now = 0): { limits: Limits; options: OptionValues } {
  return {
    limits: clock ? clockLimits(clock, now) : { movetime: player.time },
    options: { "Skill Level": player.level, MultiPV: 1, UCI_AnalyseMode: false },
  };
}

/** Returns the side of a single human player against a computer. */
export function alone(players: Record<Side, Player>): Side | undefined {
  if (players.white.kind === players.black.kind) return undefined;
  return players.white.kind === "human" ? "white" : "black";
}

/** Returns the players with a name for a single human player without one. */
export function greeted(players: Record<Side, Player>, name: string): Record<Side, Player> {
  const side = alone(players);
  if (side === undefined || players[side].name) return players;
  return { ...players, [side]: { ...players[side], name } };
}

/** Returns the players at the start of a game: persons have names, computers have levels. */
export function seated({ white, black }: Record<Side, Player>): Record<Side, Player> {
  const one = ({ name = "", ...player }: Player): Player => {
    const own = name.trim();
    return player.kind === "human" && own !== "" ? { ...player, name: own } : player;
  };
  return { white: one(white), black: one(black) };
}

/** Returns the time control in the format of records. */
export function timeControl(player: Player, control?: TimeControl): string {
  const time = control ? controlText(control) : `movetime ${player.time}`;
  if (player.kind === "human") return control ? time : "-";
  return `${player.level < FULL ? `level ${player.level} ` : ""}${time}`;
}

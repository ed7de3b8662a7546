import type { Limits, OptionValues } from "millbrain";
import { type Clock, clockLimits, controlText, type TimeControl } from "../game/clock.js";

/** Who plays a side. */
export interface Player {
  kind: "human" | "computer";
  /** `Skill Level`, 0 to 20. */
  level: number;
  /** Milliseconds a move. */
  time: (typeof TIMES)[number];
}

export const FULL = 20;
export const TIMES = [100, 300, 1000, 2000, 5000, 10_000, 30_000] as const;

/** How this player searches, by its time a move or by a clock. Levels end by themselves at their depth. */
export function searching(player: Player, clock?: Clock, now = 0): { limits: Limits; options: OptionValues } {
  return {
    limits: clock ? clockLimits(clock, now) : { movetime: player.time },
    options: { "Skill Level": player.level, MultiPV: 1, UCI_AnalyseMode: false },
  };
}

/** The time control as records have it. */
export function timeControl(player: Player, control?: TimeControl): string {
  const time = control ? controlText(control) : `movetime ${player.time}`;
  if (player.kind === "human") return control ? time : "-";
  return `${player.level < FULL ? `level ${player.level} ` : ""}${time}`;
}

import type { Limits, OptionValues } from "millbrain";

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

/** How this player searches. Levels end by themselves at their depth. */
export function searching(player: Player): { limits: Limits; options: OptionValues } {
  return {
    limits: { movetime: player.time },
    options: { "Skill Level": player.level, MultiPV: 1, UCI_AnalyseMode: false },
  };
}

/** The time control as records have it. */
export function timeControl(player: Player): string {
  if (player.kind === "human") return "-";
  return `${player.level < FULL ? `level ${player.level} ` : ""}movetime ${player.time}`;
}

import type { GameEnd, Side } from "millbrain";
import type { Clock } from "../game/clock.js";
import { other, outcomeOf } from "../game/text.js";
import { lang } from "../i18n/index.svelte.js";
import { faultText } from "../texts/faults.js";
import { controlWords, endText } from "../texts/words.js";
import { en, type Key } from "../texts/en/people.js";
import { say } from "./say.svelte.js";
import type { OwnGame, Refused, Summary } from "./wire.js";

/** Describes a clock in the server's notation; a clock with periods stays in that notation. */
export function clockWords(clock: string | null): string {
  if (clock === null) return say("correspondence");
  const [, base, increment = "0"] = /^(\d+)(?:\+(\d+))?$/.exec(clock) ?? [];
  if (base === undefined || Number(base) % 60 !== 0) return clock;
  return controlWords({ base: Number(base) * 1000, increment: Number(increment) * 1000 });
}

/** Returns why a request was refused; unknown reasons of a newer server in its own words. */
export function refusalText({ code, values, error }: Refused): string {
  const key = `refused.${code}`;
  return key in en ? say(key as Key, values) : faultText(error);
}

export const nameText = (name: string | null): string => name || say("nameless");

/** Returns the name of the user's opponent. */
export const opponentName = ({ names, side }: OwnGame): string => nameText(names[other(side)]);

/** Returns the side of the player who has opened a game. */
export const hostOf = ({ names }: Summary): Side => (names.white === null ? "black" : "white");

/** Returns the clocks of a game; only the server needs its control. */
export function clockOf({ clocks, running }: Summary, since: number): Clock | undefined {
  if (clocks === null) return undefined;
  return { control: { base: 0, increment: 0 }, left: clocks, running: running ?? undefined, since };
}

const UNITS = [
  ["day", 24 * 3_600_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Returns the remaining time, such as `3 days left`. */
export function untilText(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? (["minute", 60_000] as const);
  const number = new Intl.NumberFormat(lang(), { style: "unit", unit, unitDisplay: "long" });
  return say("left", { time: number.format(Math.max(1, Math.round(ms / length))) });
}

/** Returns the result of a game for a side or a spectator, and why it ended. */
export function resultText(end: GameEnd, side: Side | undefined): string {
  const { title, reason } = endText(end, side);
  return `${title}: ${reason}`;
}

/** Returns the result of a game of the user. */
export const resultWord = ({ result, side, reason = "" }: OwnGame): string =>
  endText({ outcome: outcomeOf(result) ?? "draw", reason, termination: "normal" }, side).title;

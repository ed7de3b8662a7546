import type { Limits, Side } from "millbrain";

/** Time for the whole game and per move, in milliseconds. */
export interface TimeControl {
  readonly base: number;
  readonly increment: number;
}

/**
 * The clock of a game. It has no time source: every time comes from outside, in milliseconds of any monotonic clock. It
 * is immutable; each change makes a new one.
 */
export interface Clock {
  readonly control: TimeControl;
  /** Milliseconds left for each side; for the running side, as of `since`. */
  readonly left: Readonly<Record<Side, number>>;
  /** The side whose clock runs; `undefined` while it is stopped. */
  readonly running?: Side | undefined;
  readonly since: number;
}

/** Returns a stopped clock, with full or remaining time. */
export function newClock(control: TimeControl, left?: Readonly<Record<Side, number>>): Clock {
  return { control, left: left ?? { white: control.base, black: control.base }, since: 0 };
}

/** Returns the milliseconds left, at least 0. */
export function timeLeft(clock: Clock, side: Side, now: number): number {
  const used = clock.running === side ? Math.max(0, now - clock.since) : 0;
  return Math.max(0, clock.left[side] - used);
}

const allLeft = (clock: Clock, now: number): Record<Side, number> => ({
  white: timeLeft(clock, "white", now),
  black: timeLeft(clock, "black", now),
});

/** Starts the clock of this side, or stops it without one. */
export function run(clock: Clock, side: Side | undefined, now: number): Clock {
  return { control: clock.control, left: allLeft(clock, now), running: side, since: now };
}

/** Stops the clock after a move of this side, which gets its increment. */
export function press(clock: Clock, side: Side, now: number): Clock {
  const left = allLeft(clock, now);
  return {
    control: clock.control,
    left: { ...left, [side]: left[side] + clock.control.increment },
    since: now,
  };
}

/** Returns the side that has lost on time. */
export function flagged(clock: Clock, now: number): Side | undefined {
  return clock.running !== undefined && timeLeft(clock, clock.running, now) === 0 ? clock.running : undefined;
}

/** Returns the time limits for an engine. */
export function clockLimits(clock: Clock, now: number): Limits {
  const { white, black } = allLeft(clock, now);
  const { increment } = clock.control;
  // With no time left it must still answer.
  const time = (left: number) => Math.max(1, Math.floor(left));
  return { wtime: time(white), btime: time(black), winc: increment, binc: increment };
}

/** Below this time tenths of a second are shown. */
const TENTHS = 10_000;

/** Formats a time: `1:02:05`, `4:07`, `0:09.3`. */
export function clockText(ms: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  if (ms < TENTHS) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  // Rounded up, so that no clock shows 0 while it has time.
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Selectable time controls: minutes, and seconds per move. */
export const CONTROLS = ["1+0", "3+2", "5+0", "5+3", "10+0", "10+5", "15+10", "30+0", "60+30"] as const;
export type ControlName = (typeof CONTROLS)[number];

export function controlOf(name: ControlName): TimeControl {
  const [minutes = 0, seconds = 0] = name.split("+").map(Number);
  return { base: minutes * 60_000, increment: seconds * 1000 };
}

/** Formats a time control as in records: seconds, and seconds per move. */
export function controlText({ base, increment }: TimeControl): string {
  return `${base / 1000}+${increment / 1000}`;
}

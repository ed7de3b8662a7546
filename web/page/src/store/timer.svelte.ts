import type { Side } from "millbrain";
import { type Clock, flagged, press, run, timeLeft } from "../game/clock.js";

/** The clock of a timed game, and the timer that waits for its flag. */
export class Timer {
  clock = $state.raw<Clock | undefined>();

  #flag: ReturnType<typeof setTimeout> | undefined;
  readonly #onFlag: () => void;

  /** `onFlag` runs when the time of the running side is used up. */
  constructor(onFlag: () => void) {
    this.#onFlag = onFlag;
  }

  /** Starts the clock of a side, or stops it. */
  run(side: Side | undefined): void {
    clearTimeout(this.#flag);
    if (this.clock === undefined) return;
    const now = performance.now();
    this.clock = run(this.clock, side, now);
    // A timer may fire early: then it starts again.
    const look = () => (this.flagged === undefined ? this.run(side) : this.#onFlag());
    if (side !== undefined) this.#flag = setTimeout(look, timeLeft(this.clock, side, now) + 1);
  }

  /** Ends the move of a side. */
  press(side: Side): void {
    if (this.clock) this.clock = press(this.clock, side, performance.now());
  }

  /** The side whose time is used up. */
  get flagged(): Side | undefined {
    return this.clock && flagged(this.clock, performance.now());
  }

  /** The clock, stopped. */
  get stopped(): Clock | undefined {
    return this.clock && run(this.clock, undefined, performance.now());
  }
}

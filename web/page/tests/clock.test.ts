import { expect, test } from "vitest";
import {
  clockLimits,
  clockText,
  CONTROLS,
  controlOf,
  controlText,
  flagged,
  newClock,
  press,
  run,
  timeLeft,
} from "../src/game/clock.js";

const CONTROL = { base: 10_000, increment: 2000 };

test("time runs for one side, and a move brings its increment", () => {
  const fresh = newClock(CONTROL);
  expect([timeLeft(fresh, "white", 99), timeLeft(fresh, "black", 99)]).toEqual([10_000, 10_000]);
  const white = run(fresh, "white", 1000);
  expect([timeLeft(white, "white", 4000), timeLeft(white, "black", 4000)]).toEqual([7000, 10_000]);
  const pressed = press(white, "white", 4000);
  expect([pressed.running, pressed.left]).toEqual([undefined, { white: 9000, black: 10_000 }]);
  // A stopped clock loses nothing.
  const black = run(pressed, "black", 50_000);
  expect(timeLeft(black, "white", 51_000)).toBe(9000);
  expect(run(black, undefined, 51_500).left).toEqual({ white: 9000, black: 8500 });
  // Starting a running clock changes nothing, and a time that goes back adds nothing.
  expect(timeLeft(run(white, "white", 3000), "white", 4000)).toBe(7000);
  expect(timeLeft(white, "white", 500)).toBe(10_000);
  expect(fresh).toEqual(newClock(CONTROL));
});

test("a flag falls when nothing is left, and only that of the side whose clock runs", () => {
  const clock = run(newClock(CONTROL, { white: 500, black: 0 }), "white", 0);
  expect([flagged(clock, 499), flagged(clock, 500), flagged(clock, 9000)]).toEqual([
    undefined,
    "white",
    "white",
  ]);
  expect(timeLeft(clock, "white", 9000)).toBe(0);
  expect(flagged(run(clock, undefined, 9000), 9000)).toBeUndefined();
});

test("an engine is reported the time of both sides", () => {
  const clock = run(newClock(CONTROL), "black", 0);
  expect(clockLimits(clock, 2500.7)).toEqual({ wtime: 10_000, btime: 7499, winc: 2000, binc: 2000 });
  expect(clockLimits(clock, 1e6).btime).toBe(1);
});

test("times and controls are read as they are written elsewhere", () => {
  const texts = [0, 99, 9_999, 10_000, 10_001, 60_000, 247_000, 3_725_000].map(clockText);
  expect(texts).toEqual(["0:00.0", "0:00.0", "0:09.9", "0:10", "0:11", "1:00", "4:07", "1:02:05"]);
  expect(controlOf("5+3")).toEqual({ base: 300_000, increment: 3000 });
  expect(controlText(controlOf("5+3"))).toBe("300+3");
  for (const name of CONTROLS) expect(controlOf(name).base, name).toBeGreaterThan(0);
});

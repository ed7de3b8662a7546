import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

test("figures: bytes, time to a board that can be played on, time from click to drawing", async () => {
  const visit = await Visit.open();
  const { page, served } = visit;
  const { bytes, packed } = served;
  const start = await page.evaluate(() => performance.getEntriesByName("playable")[0]?.startTime ?? NaN);
  const times: number[] = [];
  for (const name of ["d6", "f4", "d2", "b4", "a7", "g7", "a1", "g1"]) {
    // From the event to the frame after the one that draws the stone.
    const time = await page.evaluate(
      (name) =>
        new Promise<number>((resolve) => {
          const button = document.querySelector<HTMLButtonElement>(`.points [data-point="${name}"]`);
          const from = performance.now();
          button?.click();
          const look = () => {
            if (document.querySelector(`[data-piece="${name}"]`)) {
              requestAnimationFrame(() => resolve(performance.now() - from));
            } else requestAnimationFrame(look);
          };
          look();
        }),
      name,
    );
    times.push(time);
  }
  // Everything that a game against the computer needs.
  const other = await Visit.open();
  await other.tool("Best move");
  await other.reached(1);
  const all = other.served.packed;
  await other.close();
  times.sort((a, b) => a - b);
  const shown = {
    "KB before the first move, packed": Math.round(packed / 1000),
    "KB before the first move, unpacked": Math.round(bytes / 1000),
    "KB with the engine, its network and tables, packed": Math.round(all / 1000),
    "ms from navigation to a playable board": Math.round(start),
    "ms from click to the drawn move, median": Math.round(times[times.length >> 1] as number),
    "ms from click to the drawn move, longest": Math.round(times.at(-1) as number),
  };
  console.log(shown);
  // A limit against accidents, such as tables fetched too early.
  expect(bytes).toBeLessThan(4_000_000);
  await visit.close();
});

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { puzzleOfDay, readPuzzles } from "../src/learn/puzzles.js";
import { complaints } from "./axe.js";
import { launch, quit, show, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

const puzzles = readPuzzles(
  readFileSync(new URL("../src/learn/puzzles/muehle.jsonl", import.meta.url), "utf8"),
);

async function fine({ page, errors }: Visit): Promise<void> {
  await expect.poll(() => complaints(page)).toEqual([]);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(errors).toEqual([]);
}

test("a lesson is played by keyboard, and its progress is kept", async () => {
  const visit = await Visit.open({
    hash: "#v=morris&m=d6",
    context: { viewport: { width: 320, height: 640 } },
  });
  const { page } = visit;
  const fetched = (what: string) =>
    page.evaluate(
      (what) => performance.getEntriesByType("resource").filter(({ name }) => name.includes(what)).length,
      what,
    );
  await expect.poll(() => fetched("Learn")).toBe(0);
  await show(page, "rules");
  await expect.poll(() => fetched("Learn")).toBe(0);
  await show(page, "lessons");
  await page.waitForSelector("[data-lesson]");
  // Lessons need no puzzles.
  await expect.poll(async () => [(await fetched("Learn")) > 0, await fetched("puzzles")]).toEqual([true, 0]);
  await fine(visit);
  await page.locator('[data-lesson="block"]').press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Blocking");
  await visit.point("a7").press("Enter");
  await page.waitForSelector(".overlay .threat", { state: "attached" });
  await expect.poll(() => page.locator("[data-message]").innerText()).toContain("Black replies d2 ×a4.");
  await fine(visit);
  // The way back has the focus, then the board.
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator('[data-piece="a7"]').count()).toBe(0);
  // Keys of the game do not affect the hidden game.
  await page.keyboard.press("r");
  await page.keyboard.press("z");
  await visit.point("d2").press("Enter");
  await expect.poll(() => page.locator("[data-message]").innerText()).toBe("Right!");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("h2").innerText()).toBe("Two threats");
  await show(page, "game");
  await expect.poll(() => visit.moves()).toEqual(["d6"]);
  await expect.poll(() => page.locator('[data-piece="d6"]').count()).toBe(1);
  await page.reload();
  await visit.ready();
  await show(page, "lessons");
  await expect.poll(() => page.locator('[data-lesson="block"]').innerText()).toContain("done");
  await expect.poll(() => page.locator('[data-lesson="fork"]').innerText()).not.toContain("done");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a move that leads away from the mark is no right one", async () => {
  const visit = await Visit.open({ hash: "#v=smess" });
  const { page } = visit;
  await show(page, "lessons");
  await page.locator('[data-lesson="path"]').click();
  const message = () => page.locator("[data-message]").innerText();
  for (const name of ["a5", "b4"]) await visit.point(name).click();
  await expect.poll(message).toContain("That leads away");
  await page.click("[data-retry]");
  for (const name of ["a5", "b6"]) await visit.point(name).click();
  await expect.poll(message).toContain("Right! Continue.");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("the puzzle of the day is everybody's, is refuted by the engine, and counts once", async () => {
  const visit = await Visit.open({ hash: "#v=muehle" });
  const { page } = visit;
  await page.clock.setFixedTime(new Date(2026, 5, 17, 12));
  await show(page, "puzzles");
  await page.click("[data-open-day]");
  const puzzle = puzzleOfDay(puzzles, Date.UTC(2026, 5, 17) / 86_400_000)!;
  const stones = puzzle.fen.split(" ")[0]!.replaceAll(/[^OX]/g, "").length;
  await expect.poll(() => page.locator("[data-piece]").count()).toBe(stones);
  await page.waitForSelector('[data-stage="asked"]');
  // A wrong move: the engine replies to it.
  const { rules } = await import("../src/engine/rules.js");
  const { moves } = rules().state({ variant: "muehle" }, { fen: puzzle.fen });
  const wrong = moves.find(({ text, taken }) => text !== puzzle.solution[0] && taken.length === 0)!;
  for (const name of [wrong.from, wrong.to]) if (name !== undefined) await visit.point(name).click();
  await page.waitForSelector('[data-stage="wrong"]');
  await page.waitForSelector(".overlay .threat", { state: "attached" });
  const side = puzzle.fen.includes(" w ") ? "Black" : "White";
  await expect.poll(() => page.locator("[data-message]").innerText()).toContain(`${side} replies `);
  // The user may stop there.
  await page.locator("[data-next]").waitFor();
  await fine(visit);
  await page.click("[data-retry]");
  await page.click("[data-show]");
  await page.waitForSelector('[data-stage="shown"]');
  // The line can be played through, and other moves have their reasons.
  const buttons = page.locator("[data-line] button");
  await buttons.first().click();
  await expect.poll(() => page.locator("[data-piece].last").count()).toBe(puzzle.solution.length > 1 ? 1 : 0);
  await buttons.last().click();
  const [move] = Object.keys(puzzle.wrong);
  if (move !== undefined) {
    await page.click(`[data-wrong="${move}"]`);
    await page.waitForSelector(".overlay .threat", { state: "attached" });
    const reason = page.locator(`li:has([data-wrong="${move}"])`);
    await expect
      .poll(() => reason.innerText())
      .toContain(puzzle.goal === "win" ? "gives up the win" : "This loses");
  }
  await fine(visit);
  await page.click("[data-close]");
  await expect.poll(() => page.locator("[data-day]").innerText()).toContain("Not solved at once.");
  const reported = await page.locator("[data-run]").innerText();
  const rating = Number(/\d{3,4}/.exec(reported)?.[0]);
  expect(rating).toBeLessThan(1000);
  // Yesterday's puzzle does not count for the run of days.
  await page.locator("[data-earlier]").first().click();
  await page.waitForSelector('[data-stage="asked"]');
  await page.click("[data-close]");
  await fine(visit);
  await page.click("[data-begin]");
  await page.click("[data-close]");
  await page.reload();
  await visit.ready();
  await show(page, "puzzles");
  await expect.poll(() => page.locator("[data-run]").innerText()).toContain(String(rating));
  // Every game has its own.
  await page.selectOption("[data-variant]", "smess");
  await page.click("[data-begin]");
  await page.waitForSelector(".squares .points button");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("every kind of arrows of Smess is shown in the rules, and can be tried", async () => {
  const visit = await Visit.open({ hash: "#v=smess&m=d2d3" });
  const { page } = visit;
  await show(page, "rules");
  const picture = page.locator("[data-arrows]");
  const { rules } = await import("../src/engine/rules.js");
  const { points, arrows } = rules().layout({ variant: "smess" });
  const kindOf = (name: string) =>
    arrows[points.findIndex((point) => point.name === name)]!.map(String).sort().join(" ");
  await picture.locator("[data-kind]").first().waitFor();
  const shown = await picture
    .locator("[data-kind]")
    .evaluateAll((kinds) => kinds.map((kind) => (kind as HTMLElement).dataset["kind"] as string));
  expect(shown.map(kindOf).sort()).toEqual([...new Set(points.map(({ name }) => kindOf(name)))].sort());
  for (const square of shown) {
    await picture.locator(`[data-kind="${square}"]`).click();
    // A piece that moves one step has as many moves as there are arrows.
    const ways = kindOf(square).split(" ").length;
    await expect
      .poll(() => picture.locator(".points .active").count(), { message: square })
      .toBeGreaterThanOrEqual(ways);
    await expect.poll(() => picture.getByRole("status").innerText()).toContain(`${ways} square`);
  }
  // It moves along an arrow, and on from there; the game on the board is unchanged.
  await picture.locator('[data-man="numskull"]').click();
  const piece = () => picture.locator(".chosen, .last").first();
  await picture.locator(".points .active").last().click();
  await piece().waitFor({ state: "attached" });
  await picture.locator("[data-again]").click();
  await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
  await fine(visit);
  await visit.close();
});

test("the rules of a board with lines are shown in pictures, which can be tried", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=d6" });
  const { page } = visit;
  await show(page, "rules");
  const picture = (id: string) => page.locator(`[data-diagram="${id}"]`);
  await picture("mill").waitFor();
  expect(await page.locator("[data-diagram]").count()).toBe(4);
  const stones = (id: string) => picture(id).locator("[data-piece]").count();
  const before = await stones("mill");
  // The ring shows where to close the mill; then only the two stones outside of Black's mill can be taken.
  await picture("mill").locator('[data-point="g7"]').click();
  await expect.poll(() => picture("mill").locator(".points .active").count()).toBe(2);
  await picture("mill").locator(".points .active").first().click();
  await expect.poll(() => stones("mill")).toBe(before);
  await picture("mill").getByRole("button", { name: "Start again" }).click();
  await expect.poll(() => stones("mill")).toBe(before);
  await expect.poll(() => visit.moves()).toEqual(["d6"]);
  await fine(visit);
  await visit.close();
});

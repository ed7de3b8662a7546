import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";
import { serve } from "./serve.js";

beforeAll(launch);
afterAll(quit);

const MOVES = ["a7", "d2", "d7", "d1", "g7xd1"];
const HASH = `#v=morris&m=${MOVES.join(",")}`;

test("a reload in the middle of a game loses nothing", async () => {
  const visit = await Visit.open({ levels: { black: 2 } });
  const { page } = visit;
  await visit.play("d6");
  await visit.reached(2);
  await visit.play((await visit.state()).moves[0]!.text);
  await visit.reached(4);
  await visit.tool("Take back");
  const other = (await visit.state()).moves.at(-1)!.text;
  await visit.play(other);
  await visit.reached(4);
  const before = await visit.kept();
  await page.reload();
  await visit.ready();
  const after = await visit.kept();
  expect(after.moves).toEqual(before.moves);
  const shape = (kept: typeof before) => kept.tree.nodes.map(({ move, parent }) => [move, parent]);
  expect(shape(after)).toEqual(shape(before));
  // The game continues.
  await visit.play((await visit.state()).moves[0]!.text);
  await visit.reached(6);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a computer that was thinking thinks again after a reload", async () => {
  const visit = await Visit.open({ levels: { black: 20 } });
  await visit.play("d6");
  await visit.page.reload();
  await visit.ready();
  await visit.reached(2);
  await visit.close();
});

test("links open games, and give them", async () => {
  const visit = await Visit.open({ hash: `${HASH}&o=Flying=false` });
  const { page } = visit;
  await expect.poll(() => visit.moves()).toEqual(MOVES);
  await expect
    .poll(async () => (await visit.kept()).rules)
    .toEqual({ variant: "morris", options: { Flying: false } });
  await show(page, "device");
  const link = await page.locator("[data-link]").getAttribute("data-link");
  expect(link).toBe(`${visit.served.url}#v=morris&o=Flying=false&m=${MOVES.join(",")}`);
  // A second link while the page is open.
  await page.evaluate(() => (location.hash = "#v=smess&m=d2d3"));
  await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
  // And an invalid one.
  await page.evaluate(() => (location.hash = "#v=morris&m=d6,d6"));
  await page.waitForSelector(".toast");
  await expect.poll(() => page.locator(".toast").innerText()).toContain("move 2 (d6) is illegal");
  await visit.close();
});

test("games are saved, loaded and deleted", async () => {
  const visit = await Visit.open({ hash: HASH });
  const { page } = visit;
  await show(page, "device");
  await page.getByRole("button", { name: "Save this game" }).click();
  await page.waitForSelector("[data-games] li");
  await page.click("[data-new]");
  await page.click("[data-start]");
  await expect.poll(() => visit.moves()).toEqual([]);
  await page.reload();
  await visit.ready();
  await show(page, "device");
  await page.locator("[data-games] .open").click();
  await expect.poll(() => visit.moves()).toEqual(MOVES);
  await show(page, "device");
  await page.locator("[data-games] li button.danger").click();
  await expect.poll(() => page.locator("[data-games] li").count()).toBe(0);
  await visit.close();
});

test("games go out and come in again in all formats", async () => {
  const visit = await Visit.open({ hash: HASH });
  const { page } = visit;
  for (const format of ["record", "sgf", "sanmill"]) {
    await show(page, "device");
    await page.locator(".format").selectOption(format);
    const text = await page.locator("[data-export]").inputValue();
    await page.click("[data-new]");
    await page.click("[data-start]");
    await show(page, "import");
    await page.locator("[data-import]").fill(text);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await expect.poll(() => visit.moves()).toEqual(MOVES);
  }
  await show(page, "import");
  await page.locator("[data-import]").fill("d6 d6");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect.poll(() => page.locator(".fault").innerText()).toContain("move 2 (d6) is illegal");
  await expect.poll(() => visit.moves()).toEqual(MOVES);
  await visit.close();
});

test("the set-up editor says what the engine says", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await show(page, "editor");
  const faults = page.locator("[data-faults]");
  await expect.poll(() => faults.innerText()).toContain("can be played");
  await page.locator("[data-fen]").fill("OOO/XXX/3/6/3/3/3 w 9 0");
  await expect
    .poll(() => faults.innerText())
    .toContain("white has 12 stones on board and in hand, expected at most 9");
  await page.locator("[data-fen]").fill("OO/3 x");
  await expect.poll(() => faults.locator("li").count()).toBeGreaterThan(2);
  await expect.poll(() => page.getByRole("button", { name: "Play from here" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Empty board" }).click();
  for (const name of ["a7", "d7", "g7", "a4"]) await visit.point(name).click();
  await page.getByRole("button", { name: "Black, stone" }).click();
  for (const name of ["a1", "d1", "g1", "b2"]) await visit.point(name).click();
  await page.getByRole("radio", { name: "Black" }).check();
  await expect.poll(() => page.locator("[data-fen]").inputValue()).toBe("OOO/3/3/O5/3/X2/XXX b 0 0");
  await page.getByRole("button", { name: "Play from here" }).click();
  const state = await visit.state();
  expect(state.fen).toBe("OOO/3/3/O5/3/X2/XXX b 0 0 0 1");
  expect(state.side).toBe("black");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("without a network the page starts, and the computer plays", async () => {
  const served = await serve();
  const visit = await Visit.open({ served, keeps: true, levels: { black: 3 } });
  const { page, context } = visit;
  await visit.play("d6");
  await visit.reached(2);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  served.close();
  await page.reload();
  await visit.ready();
  await expect.poll(() => visit.moves()).toHaveLength(2);
  await visit.play((await visit.state()).moves[0]!.text);
  await visit.reached(4);
  // The network of the game was loaded before.
  await expect.poll(() => page.locator(".toast").count()).toBe(0);
  await context.close();
});

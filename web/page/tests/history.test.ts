// Each part of the page has an address and an entry of the history. Back closes what was opened last, and leaves the
// page only if nothing is open.
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, readAddress } from "../src/store/address.js";
import { ITEM_PARTS, type Part, PLACES } from "../src/store/view.svelte.js";
import { launch, quit, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

/** Returns the open parts of the page. */
const open = ({ page }: Visit) =>
  page.evaluate(() => [
    document.getElementById("panel")?.dataset["open"],
    document.querySelectorAll("dialog[open]").length,
    document.querySelector("[data-stage]") === null ? "" : "lesson",
  ]);

test("every part and item has an address, and old links lead to the same", () => {
  for (const part of Object.values(PLACES).flat() as Part[]) {
    for (const item of [undefined, "morris.mill", "0123456789ab"])
      expect(readAddress(addressOf({ part, item }))).toEqual({
        part,
        item: ITEM_PARTS.includes(part) ? item : undefined,
      });
  }
  expect(addressOf({ part: "game" })).toBe("#/play");
  expect(addressOf({ part: "puzzles", item: "smess.day9" })).toBe("#/learn/puzzles/smess.day9");
  expect(readAddress("#play=0123456789ab")).toEqual({ part: "lobby", item: "0123456789ab" });
  for (const other of ["", "#/", "#/nowhere", "#/play/lessons", "#v=morris&m=d6", "#play=12"])
    expect(readAddress(other), other).toBeUndefined();
});

test("each place has an entry of the history, and no closed one is left", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=d6" });
  const { page } = visit;
  const length = () => page.evaluate(() => history.length);
  const hash = () => page.evaluate(() => location.hash);
  const begun = await length();
  const back = async (expected: unknown[]) => {
    await page.evaluate(() => history.back());
    await expect.poll(() => open(visit)).toEqual(expected);
  };
  await page.click("[data-new]");
  await back(["game", 0, ""]);
  await page.evaluate(() => history.forward());
  await expect.poll(() => open(visit)).toEqual(["game", 1, ""]);
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("Escape");
    await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
    await page.click("[data-new]");
    await expect.poll(() => open(visit)).toEqual(["game", 1, ""]);
  }
  await back(["game", 0, ""]);
  // An entry that Forward can reach.
  await expect.poll(() => length()).toBe(begun + 1);

  await page.click("[data-place=learn]");
  await page.locator("[data-lesson]").first().click();
  await expect.poll(() => open(visit)).toEqual(["lessons", 0, "lesson"]);
  expect(await hash()).toBe("#/learn/lessons/morris.placing");
  await page.click("[data-new]");
  await expect.poll(() => open(visit)).toEqual(["lessons", 1, "lesson"]);
  await back(["lessons", 0, "lesson"]);
  await back(["lessons", 0, ""]);
  await page.locator("[data-lesson]").first().click();
  await expect.poll(() => open(visit)).toEqual(["lessons", 0, "lesson"]);
  await page.click("[data-close]");
  await expect.poll(() => open(visit)).toEqual(["lessons", 0, ""]);
  // From one lesson to the next: Back leads to the list.
  await page.locator("[data-lesson]").nth(1).click();
  await visit.play("g7xd2");
  await page.click("[data-next]");
  await expect.poll(hash).toBe("#/learn/lessons/morris.protected");
  await back(["lessons", 0, ""]);
  await back(["game", 0, ""]);

  // Back from a game opened from the list leads to the list, and from a new game to its origin.
  await page.click("[data-place=games]");
  await page.getByRole("button", { name: "Save this game" }).click();
  await page.locator("[data-games] .open").first().click();
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await back(["device", 0, ""]);
  await page.click("[data-new]");
  await page.click("[data-start]");
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await back(["device", 0, ""]);
  // An address with a game is an entry too.
  await page.evaluate(() => (location.hash = "#v=smess&m=d2d3"));
  await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
  await expect.poll(hash).toBe("#/play");
  await page.click("[data-new]");
  await back(["game", 0, ""]);
  await back(["device", 0, ""]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("an address leads to its part also after a reload, and a place is found as it was left", async () => {
  const visit = await Visit.open({ hash: "#/learn/puzzles/smess.day20612" });
  const { page } = visit;
  await page.waitForSelector(".squares .points button");
  await page.reload();
  await page.waitForSelector(".squares .points button");
  await page.click("[data-place=play]");
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await page.click("[data-place=learn]");
  await expect.poll(() => open(visit)).toEqual(["puzzles", 0, "lesson"]);
  // The link of the open place leads to its beginning.
  await page.click("[data-place=learn]");
  await expect.poll(() => open(visit)).toEqual(["lessons", 0, ""]);
  // One that does not exist is its list, beside the game, also while another is open elsewhere.
  await page.goto(`${visit.served.url}#/learn/puzzles/smess.day20612`);
  await expect.poll(() => open(visit)).toEqual(["puzzles", 0, "lesson"]);
  await page.click("[data-place=play]");
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await page.goto(`${visit.served.url}#/learn/puzzles/smess.0`);
  await expect.poll(() => page.evaluate(() => location.hash)).toBe("#/learn/puzzles");
  await visit.ready();
  await page.goto(`${visit.served.url}#/play/lobby/0123456789ab`);
  await page.getByText("There is no such server here.").waitFor();
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a puzzle that arrives after its place was left stays closed", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const file = /\/smess-[^/]*\.js$/;
  await page.route(file, async (route) => {
    await released;
    await route.continue();
  });
  const asked = page.waitForRequest(file);
  await page.goto(`${visit.served.url}#/learn/puzzles/smess.day20612`);
  await asked;
  const arrived = page.waitForResponse(file);
  await page.click("[data-place=learn]");
  await expect.poll(() => open(visit)).toEqual(["lessons", 0, ""]);
  release();
  await (await arrived).finished();
  // Opened now, it would show a board and take the address.
  await page.click("[data-place=play]");
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await page.click("[data-place=learn]");
  await expect.poll(() => open(visit)).toEqual(["lessons", 0, ""]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

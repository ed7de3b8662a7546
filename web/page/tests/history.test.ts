// Back closes what was opened last, and leaves the page only if nothing is open.
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

/** Returns the open parts of the page. */
const open = ({ page }: Visit) =>
  page.evaluate(() => [
    document.querySelector("[role=tab][aria-selected=true]")?.id.replace("tab-", ""),
    document.querySelectorAll("dialog[open]").length,
    document.querySelector("[data-stage]") === null ? "" : "lesson",
  ]);

test("each place has an entry of the history, and no closed one is left", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=d6" });
  const { page } = visit;
  const length = () => page.evaluate(() => history.length);
  const begun = await length();
  const back = async (expected: unknown[]) => {
    await page.evaluate(() => history.back());
    await expect.poll(() => open(visit)).toEqual(expected);
  };
  await page.click("[data-new]");
  await back(["game", 0, ""]);
  await page.evaluate(() => history.forward());
  await expect.poll(() => open(visit)).toEqual(["game", 1, ""]);
  await page.keyboard.press("Escape");
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  for (let i = 0; i < 3; i++) {
    await page.click("[data-settings]");
    await expect.poll(() => open(visit)).toEqual(["game", 1, ""]);
    await page.locator("dialog").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  }
  // An entry that Forward can reach.
  await expect.poll(() => length()).toBe(begun + 1);

  await page.click("#tab-learn");
  await page.locator("[data-lesson]").first().click();
  await expect.poll(() => open(visit)).toEqual(["learn", 0, "lesson"]);
  await page.click("[data-settings]");
  await expect.poll(() => open(visit)).toEqual(["learn", 1, "lesson"]);
  await back(["learn", 0, "lesson"]);
  await back(["learn", 0, ""]);
  await page.locator("[data-lesson]").first().click();
  await expect.poll(() => open(visit)).toEqual(["learn", 0, "lesson"]);
  await page.click("[data-close]");
  await expect.poll(() => open(visit)).toEqual(["learn", 0, ""]);
  await back(["game", 0, ""]);

  // Back from a game opened from the list leads to the list, and from a new game to its origin.
  await page.click("#tab-games");
  await page.getByRole("button", { name: "Save this game" }).click();
  await page.locator("[data-games] .open").first().click();
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await back(["games", 0, ""]);
  await page.click("[data-new]");
  await page.click("[data-start]");
  await expect.poll(() => open(visit)).toEqual(["game", 0, ""]);
  await back(["games", 0, ""]);
  // An address with a game is an entry too.
  await page.evaluate(() => (location.hash = "#v=smess&m=d2d3"));
  await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
  await page.click("[data-settings]");
  await back(["games", 0, ""]);
  expect(visit.errors).toEqual([]);
  // A reload adds no entry, and Back still closes.
  await page.click("#tab-help");
  await page.reload();
  await visit.ready();
  await page.click("[data-settings]");
  await expect.poll(() => open(visit).then(([, dialogs]) => dialogs)).toBe(1);
  await page.evaluate(() => history.back());
  await expect.poll(() => open(visit).then(([, dialogs]) => dialogs)).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

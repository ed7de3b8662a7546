// The first visit of a new user, until the first move.
import { afterAll, beforeAll, expect, test } from "vitest";
import { allLessons } from "../src/learn/lessons.js";
import texts from "../src/texts/en/lessons.json";
import { complaints } from "./axe.js";
import { launch, quit, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

/** Opens the page without stored data. */
async function first(locale = "en-GB", width = 1280): Promise<Visit> {
  const visit = await Visit.open({ context: { locale, viewport: { width, height: 844 } } });
  const { page } = visit;
  await page.evaluate(() =>
    addEventListener("pagehide", () => (localStorage.clear(), sessionStorage.clear())),
  );
  await page.goto("about:blank");
  const fresh = await visit.context.newPage();
  await fresh.goto(visit.served.url);
  const visitor = new Visit(fresh, visit.context, visit.served);
  await welcome(visitor).waitFor();
  return visitor;
}

const welcome = ({ page }: Visit) => page.locator("[data-welcome]");

test("a first visit says what this is, and begins against an easy opponent", async () => {
  for (const [locale, width, what] of [
    ["en-GB", 1280, "against the computer or each other"],
    ["de-DE", 390, "gegen den Computer oder gegeneinander"],
    ["sk-SK", 320, "proti počítaču alebo proti sebe"],
  ] as const) {
    const visit = await first(locale, width);
    const { page } = visit;
    await expect.poll(() => welcome(visit).innerText()).toContain(what);
    await expect.poll(() => welcome(visit).innerText()).toMatch(/\b2\b.*\b20\b/);
    // The games show what they are; a board would show nothing yet.
    expect(await page.locator("[data-tile]").count()).toBeGreaterThan(6);
    expect(await page.locator("[data-tile] .picture svg").count()).toBe(
      await page.locator("[data-tile]").count(),
    );
    expect(await page.locator(".stage").isVisible()).toBe(false);
    expect(await complaints(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.click("[data-play-now]");
    await expect.poll(() => welcome(visit).count()).toBe(0);
    await visit.ready();
    expect(await page.locator(".evaluation").count()).toBe(0);
    await visit.point("d6").click();
    await visit.reached(2);
    expect((await visit.kept()).tree.nodes.length).toBe(3);
    // A returning user is not welcomed again.
    await page.reload();
    await visit.ready();
    await expect.poll(() => page.locator(".list").count()).toBe(1);
    expect(await welcome(visit).count()).toBe(0);
    expect(visit.errors).toEqual([]);
    await visit.close();
  }
});

test("somebody who does not know the game comes to its first lesson, and back", async () => {
  const visit = await first();
  const { page } = visit;
  // While the lesson is loaded there is no other board.
  let load = () => {};
  const isDue = new Promise<void>((resolve) => (load = resolve));
  await page.route(/LearnPanel-.*\.js/, async (route) => {
    await isDue;
    await route.continue();
  });
  await page.click("[data-first-lesson]");
  await page.locator("#panel[data-open=lessons]").waitFor();
  expect(await page.locator(".stage .points").count()).toBe(0);
  load();
  await page.waitForSelector("[data-stage]");
  const [lesson] = allLessons();
  await expect.poll(() => page.locator("h2").innerText()).toBe(texts[lesson!.id as keyof typeof texts].title);
  expect(await page.locator("header .variant").innerText()).toBe("Three Men's Morris");
  await page.evaluate(() => history.back());
  await welcome(visit).waitFor();
  await page.click("[data-first-lesson]");
  await page.click("[data-close]");
  await page.locator("[data-lesson]").first().waitFor();
  await page.evaluate(() => history.back());
  await welcome(visit).waitFor();
  // Each game is shown at its beginning and in its own colours.
  const colourOf = (men: string) =>
    page.evaluate((men) => {
      const fill = document.querySelector(`${men} [fill^="url("]`)?.getAttribute("fill") ?? "";
      const [stop] = document.querySelectorAll(`${fill.slice(4, -1)} stop`);
      return stop && getComputedStyle(stop).stopColor;
    }, men);
  const own = async (game: string) => [
    await page.locator(`[data-tile=${game}] [data-piece]`).count(),
    await colourOf(`[data-tile=${game}] ${game === "smess" ? "[data-piece]" : ".picture ~ svg"}`),
  ];
  const [ivory, blue, red] = ["rgb(255, 254, 250)", "rgb(217, 237, 255)", "rgb(180, 50, 44)"];
  expect(await own("morris")).toEqual([0, ivory]);
  expect(await own("mlyn")).toEqual([0, blue]);
  expect(await own("smess")).toEqual([24, red]);
  // So is the one that is chosen in a dialog.
  await page.click("[data-new]");
  const sides = () => page.locator(".player legend").allInnerTexts();
  await expect.poll(sides).toEqual(["White", "Black"]);
  await page.locator('.variant:has(input[value="smess"])').click();
  await expect.poll(sides).toEqual(["Blue", "Red"]);
  await page.keyboard.press("Escape");
  // A game is one click away, and Back leads from it to the others.
  await page.click("[data-tile=smess]");
  await visit.ready();
  await expect.poll(async () => (await visit.kept()).rules).toEqual({ variant: "smess" });
  // It has its own colours, and the words follow them: blue begins.
  await expect.poll(() => visit.status()).toContain("Blue to move");
  await page.evaluate(() => history.back());
  await welcome(visit).waitFor();
  expect(visit.errors).toEqual([]);
  await visit.close();
});

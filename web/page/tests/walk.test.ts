// All parts and dialogs of the page, on screens of all sizes, zoomed, in both themes and with forced colours.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { LANGS } from "../src/i18n/langs.js";
import type { DialogName, Part } from "../src/store/view.svelte.js";
import { complaints } from "./axe.js";
import { launch, quit, show, Visit } from "./browser.js";
import { Mock } from "./mock.js";
import type { Handler } from "./serve.js";

// Browser properties that the page reads at its start.
vi.hoisted(() => {
  vi.stubGlobal("navigator", { languages: ["en"] });
  vi.stubGlobal("document", { baseURI: "https://example.org/" });
});
const { DIALOGS, placeOf, PLACES } = await import("../src/store/view.svelte.js");
const PARTS = Object.values(PLACES).flat() as Part[];

beforeAll(launch);
afterAll(quit);

const MID = "#v=morris&m=d6,f4,d2,b4,f2,b2,f6,b6xd6";

/**
 * Sizes in CSS pixels; a zoomed window of 1280 x 1024 has fewer. The page has three layouts, each of which axe checks.
 */
const SIZES: Record<string, { width: number; height: number; axe?: true }> = {
  "a small phone": { width: 320, height: 568, axe: true },
  "a phone on its side": { width: 740, height: 360, axe: true },
  "a tablet": { width: 820, height: 1180 },
  "a large screen": { width: 2560, height: 1440 },
  "200 %": { width: 640, height: 512 },
  "400 %": { width: 320, height: 256 },
  "a window": { width: 1440, height: 900, axe: true },
};
const LIGHT = { colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" } as const;

/** Returns the faults of the page at its current size: horizontal scrolling, and targets too small for a finger. */
function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const reported = (element: Element, what: string) => `${what}: ${element.outerHTML.slice(0, 100)}`;
    const visible = [document.documentElement, ...document.querySelectorAll("body, body *")].filter(
      (element) => element.getClientRects().length > 0,
    );
    const scrolls = (element: Element) =>
      element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX);
    const wide = visible.filter((element) => element.scrollWidth > element.clientWidth && scrolls(element));
    const small = visible.filter((element) => {
      if (!element.matches("button, select, input:not(.hidden)")) return false;
      // A label beside a box can be clicked, too.
      const { width, height } = (element.closest("label.check") ?? element).getBoundingClientRect();
      return width > 0 && Math.min(width, height) < 23.9;
    });
    return [
      ...wide.map((element) =>
        reported(element, `scrolls sideways by ${element.scrollWidth - element.clientWidth}`),
      ),
      ...small.map((element) => reported(element, "small")),
    ];
  });
}

/** Whether the whole board is visible. */
function isBoardSeen(page: Page): Promise<boolean> {
  return page
    .locator(".board")
    .first()
    .evaluate((board) => {
      const { left, top, right, bottom, width } = board.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      return isInside && width > 0.45 * Math.min(innerWidth, innerHeight);
    });
}

/** Returns the faults of the current view, in all sizes and themes. */
async function look(page: Page, { board = false } = {}): Promise<string[]> {
  const wrong: string[] = [];
  const note = (place: string, found: string[]) => wrong.push(...found.map((fault) => `${place}: ${fault}`));
  await page.emulateMedia(LIGHT);
  for (const [name, { axe, ...size }] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    // Brief states cannot be scrolled.
    let found = await faults(page);
    for (let tries = 0; found.length > 0 && tries < 20; tries++) {
      await page.waitForTimeout(50);
      found = await faults(page);
    }
    note(name, found);
    if (axe) note(name, await complaints(page));
    if (board && name !== "400 %" && !(await isBoardSeen(page))) note(name, ["the board is not in sight"]);
  }
  // Only the colours differ there.
  await page.emulateMedia({ ...LIGHT, colorScheme: "dark" });
  note("dark", await complaints(page, { rules: ["color-contrast"] }));
  // The user chooses these colours, and axe does not know them.
  await page.emulateMedia({ ...LIGHT, forcedColors: "active" });
  note("forced colours", await faults(page));
  return wrong;
}

/** Adds a server with all features. */
async function everything(page: Page): Promise<void> {
  await page.routeWebSocket(/\/play$/, (socket) => {
    const terms = { variant: "morris", rules: "Stones=7", clock: "300+3" };
    const game = {
      ...terms,
      game: "0123456789ab",
      stage: "open",
      names: { white: "Cy", black: null },
      plies: 0,
      turn: "white",
      clocks: null,
      running: null,
      until: 3_600_000,
      offers: { draw: null, takeback: null, rematch: null },
      there: { white: true, black: false },
      next: null,
      record: null,
    };
    const own = [
      { ...game, game: "a", stage: "playing", names: { white: "Ann", black: "Bo" }, side: "white" },
      { ...game, game: "b", clock: null, side: "white" },
      { ...game, game: "c", stage: "over", result: "0-1", names: { white: "Bo", black: "" }, side: "white" },
    ];
    socket.onMessage((text) => {
      const asked = (JSON.parse(String(text)) as { do: string }).do;
      if (asked === "hello") socket.send(JSON.stringify({ event: "games", games: own }));
      if (asked === "lobby") socket.send(JSON.stringify({ event: "lobby", games: [game] }));
    });
  });
}

/** Further states of a view, and the steps to reach them. */
const WITHIN: Partial<Record<Part, Record<string, (page: Page) => Promise<void>>>> = {
  lobby: {
    "a clock of one's own": async (page) => {
      await page.locator("[data-clocks]").selectOption("own");
      for (const summary of await page.locator("#panel summary").all()) await summary.click();
    },
  },
  lessons: {
    "a lesson": (page) => page.locator("[data-lesson]").first().click(),
  },
  puzzles: {
    "a puzzle": async (page) => {
      await page.click("[data-open-day]");
      await page.waitForSelector("[data-stage]");
    },
  },
};

/** The steps that open each dialog. */
const OPEN: Record<DialogName, (page: Page) => Promise<void>> = {
  new: async (page) => {
    await page.click("[data-new]");
    await page.locator("dialog summary").click();
  },
  statistics: async (page) => {
    await show(page, "device");
    await page.click("[data-open-statistics]");
  },
};

let visit: Visit;

beforeAll(async () => {
  const mock = new Mock({ name: "millbrain", archive: true, deletes: true, live: true, people: true });
  const settings = { analyse: true, tables: true, bar: true, name: "Ann" };
  visit = await Visit.open({ hash: MID, handler: mock.handler, settings });
  await everything(visit.page);
});
afterAll(async () => {
  expect(visit.errors).toEqual([]);
  await visit.close();
});

/** Parts whose board is on the first screen of every device. */
const WITH_BOARD: readonly Part[] = ["game", "analysis", "editor"];

for (const part of PARTS) {
  test(`nothing is wrong with the part ${part}`, async () => {
    const { page } = visit;
    // By clicks, as a user gets there: all places and parts are offered.
    const place = placeOf(part);
    await page.click(`[data-place=${place}]`);
    if (PLACES[place].length > 1) await page.click(`.parts [data-part=${part}]`);
    await page.waitForSelector(`#panel[data-open=${part}]`);
    if (part === "analysis") await page.waitForSelector("[data-openings] [data-move]");
    if (part === "lobby") await page.waitForSelector("[data-lobby] li");
    await expect.poll(() => look(page, { board: WITH_BOARD.includes(part) })).toEqual([]);
    for (const [name, open] of Object.entries(WITHIN[part] ?? {})) {
      await open(page);
      await expect.poll(() => look(page), { message: name }).toEqual([]);
    }
  });
}

for (const dialog of DIALOGS) {
  test(`nothing is wrong with the dialog ${dialog}`, async () => {
    const { page } = visit;
    await OPEN[dialog](page);
    await page.waitForSelector("dialog[open]");
    await expect.poll(() => look(page)).toEqual([]);
    await page.keyboard.press("Escape");
  });
}

test("nothing is wrong with the card of a game that is over", async () => {
  await show(visit.page, "game");
  await visit.tool("Resign");
  await visit.page.waitForSelector("[data-result]");
  await expect.poll(() => look(visit.page)).toEqual([]);
});

for (const [width, height] of [
  [390, 844],
  [360, 640],
  [1440, 900],
] as const) {
  test(`the board stays where it is, with both players, on ${width} x ${height}`, async () => {
    const { page } = visit;
    await page.setViewportSize({ width, height });
    await page.evaluate((hash) => (location.hash = hash), MID);
    const places: Record<string, unknown> = {};
    for (const part of WITH_BOARD) {
      await show(page, part);
      places[part] = await page.locator(".stage").boundingBox();
    }
    await show(page, "lessons");
    await page.locator("[data-lesson]").first().click();
    await page.waitForSelector("[data-stage]");
    places["a lesson"] = await page.locator(".stage").boundingBox();
    for (const [name, place] of Object.entries(places)) expect(place, name).toEqual(places["game"]);
    await show(page, "game");
    const seen = await page
      .locator(".strip, .board, .actions")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom <= innerHeight));
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).not.toContain(false);
    const board = (await page.locator(".board").first().boundingBox())!;
    expect(Math.max(board.width / width, board.height / height)).toBeGreaterThan(0.8);
  });
}

for (const lang of LANGS) {
  test(`what is said below the board fits a small phone in ${lang}`, async () => {
    const { page, ...phone } = await Visit.open({
      hash: "#v=morris&m=d6,f4,d2,b4,f2,b2,f6",
      settings: { lang },
      context: { viewport: { width: 320, height: 568 } },
    });
    const cut = () =>
      page
        .locator(".status > *")
        .evaluateAll((all) =>
          all
            .filter(
              (text) => text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 1,
            )
            .map(({ textContent }) => textContent),
        );
    const look = async (what: string) => expect([await faults(page), await cut()], what).toEqual([[], []]);
    await look("to move");
    await page.click('[data-point="a1"]');
    await look("at the end");
    await page.click('[data-node="2"]');
    await look("at an earlier move");
    await page.click('[data-node="7"]');
    await page.click('[data-point="b6"]');
    await look("a mill");
    await page.click('[data-point="d6"]');
    await page.keyboard.press("Escape");
    await page.locator(".menu > button").click();
    await page.locator(".menu .list button").last().click();
    await page.waitForSelector("[data-result]");
    await look("resigned");
    await phone.context.close();
  });
}

test("a board of squares fits as well, also while other fonts stand in", async () => {
  const handler: Handler = (_, response, path) => {
    const isFont = path.endsWith(".woff2");
    if (isFont) response.writeHead(404).end();
    return isFont;
  };
  const smess = await Visit.open({ hash: "#v=smess&m=d2d3", handler, settings: { analyse: true } });
  for (const part of ["game", "rules"] satisfies Part[]) {
    await show(smess.page, part);
    if (part === "rules") await smess.page.waitForSelector("[data-arrows] .points button");
    await expect.poll(() => look(smess.page, { board: part === "game" }), { message: part }).toEqual([]);
  }
  await smess.close();
});

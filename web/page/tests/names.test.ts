// The players and the date of a game never change, whatever is added to its moves, and wherever it is shown.
import type { GameText } from "millbrain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rules } from "../src/engine/rules.js";
import { writeLink } from "../src/game/share.js";
import { lineOf } from "../src/game/text.js";
import { launch, quit, show, Visit } from "./browser.js";
import { Mock } from "./mock.js";

beforeAll(launch);
afterAll(quit);

const MOVES = ["a7", "d2", "d7", "d1", "g7xd1"];
const NAMES = { white: "Lasker", black: "Capablanca" };
const END = { outcome: "white", reason: "", termination: "resignation" } as const;
const game = (names = NAMES): GameText => ({
  variant: "morris",
  ...names,
  nodes: lineOf(MOVES.map((move) => ({ move }))),
  end: END,
});

const card = (visit: Visit) => visit.page.locator("[data-result]");
const listed = (visit: Visit) => visit.page.locator("[data-games] li");

async function importText(visit: Visit, text: string): Promise<void> {
  await show(visit.page, "import");
  await visit.page.locator("[data-import]").fill(text);
  await visit.page.getByRole("button", { name: "Import", exact: true }).click();
}

/** Checks the names of a game everywhere that it is shown, after a review. */
async function expectNames(visit: Visit, { white, black }: typeof NAMES): Promise<void> {
  const { page } = visit;
  await expect.poll(() => card(visit).innerText()).toMatch(/\d \?|No mistakes/);
  expect(await card(visit).innerText()).toContain(white);
  expect(await card(visit).innerText()).toContain(black);
  // There is no opponent for a rematch.
  expect(await card(visit).locator("[data-rematch]").count()).toBe(0);
  expect(await page.locator('[data-side="white"]').innerText()).toContain(white);
  expect(await page.locator('[data-side="black"]').innerText()).toContain(black);
  await show(page, "device");
  const record = await page.locator("[data-export]").inputValue();
  expect(record).toContain(`[White "${white}"]`);
  expect(record).toContain(`[Black "${black}"]`);
}

/** Returns all games of this device, as stored. */
const stored = (visit: Visit) =>
  visit.page.evaluate(
    () =>
      new Promise<{ white: string; black: string; saved: number; tree: { nodes: { loss?: number }[] } }[]>(
        (resolve) => {
          const opening = indexedDB.open("millbrain");
          opening.onsuccess = () => {
            const all = opening.result.transaction("games").objectStore("games").getAll();
            all.onsuccess = () => {
              opening.result.close();
              resolve(all.result);
            };
          };
        },
      ),
  );

test("a review of a game that was brought in writes marks, and nothing else", async () => {
  const visit = await Visit.open({ settings: { review: true }, levels: { black: 8 } });
  const { page } = visit;
  await importText(visit, rules().writeGame(game(), "record"));
  await expect.poll(() => visit.status()).toContain("White wins");
  const [before] = await stored(visit);
  await expect.poll(async () => (await stored(visit))[0]?.tree.nodes.at(-1)?.loss).toBeDefined();
  await expectNames(visit, NAMES);
  // The reason of a bad move is shown if it is a fact.
  await show(page, "game");
  await expect
    .poll(() => page.locator("[data-mistakes]").innerText())
    .toMatch(/The opponent can now close the mill a7–d7–g7 with g7 ×d[12]; g7 prevents that\./);
  const { tree: _, ...after } = (await stored(visit))[0]!;
  const { tree: __, ...first } = before!;
  expect(after).toEqual(first);
  await show(page, "device");
  await expect.poll(() => listed(visit).innerText()).toContain("Lasker – Capablanca");
  // Also after a reload, and when it is opened from the list.
  await page.reload();
  await visit.ready();
  await show(page, "game");
  await expectNames(visit, NAMES);
  await page.click("[data-new]");
  await page.click("[data-start]");
  await expect.poll(() => visit.moves()).toEqual([]);
  expect(await page.locator('[data-side="black"]').innerText()).toContain("Computer");
  await show(page, "device");
  await listed(visit).locator(".open").click();
  await expectNames(visit, NAMES);
  // A move explored there is a variation of this game.
  await show(page, "game");
  await visit.tool("Take back");
  await visit.play("a1");
  await show(page, "device");
  await expect.poll(() => listed(visit).innerText()).toContain("Lasker – Capablanca");
  // Other players make it another game.
  await page.click("[data-new]");
  await page.getByRole("button", { name: "Keep this game" }).click();
  await expect.poll(() => listed(visit).count()).toBe(2);
  await expect
    .poll(async () => (await listed(visit).allInnerTexts()).join())
    .toContain("Lasker – Capablanca");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

const PGN = `[Event "Club <b>night</b>"]
[Site "Brno"]
[Date "2026.08.01"]
[Round "2"]
[White "Lasker"]
[Black "Capablanca"]
[Result "1-0"]
[Variant "Nine Men's Morris"]
[Game "3"]
[WhiteTimeControl "600+5"]
[BlackTimeControl "300+5"]
[PlyCount "5"]
[Termination "resignation"]
[WhiteElo "1900"]

{The first of three}
1. a7! {[%emt 0:00:02] [%clk 0:09:58]} {a corner} d2
2. d7 (2. {or} a4 $14 {holds <i>the</i> line} a1) 2... d1
3. g7xd1 1-0

`;

test("tags, comments, marks, clocks and variations of a game stay, and are shown", async () => {
  const visit = await Visit.open({ settings: { review: false } });
  const { page } = visit;
  await importText(visit, PGN);
  const comments = () => page.locator("[data-comment]").allInnerTexts();
  const seen = ["The first of three", "a corner", "or", "holds <i>the</i> line"];
  const expectAll = async () => {
    await show(page, "game");
    await expect.poll(comments).toEqual(seen);
    expect(await page.locator('[data-node="1"]').innerText()).toBe("a7!");
    expect(await card(visit).innerText()).toContain("· Aug 1, 2026");
    await show(page, "device");
    await expect
      .poll(() => listed(visit).filter({ hasText: "Lasker" }).innerText())
      .toMatch(/Lasker – Capablanca\s+Club <b>night<\/b> · Brno\s+5 moves · Aug 1, 2026/);
    for (const [format, words] of [
      ["pgn", PGN],
      ["record", '[Event "Club <b>night</b>"]\n[Game "3"]\n[Round "2"]'],
      ["record", "2. d7 (2. {or} a4 $14 {holds <i>the</i> line} a1) 2... d1"],
      ["sgf", "C[holds <i>the</i> line]"],
    ] as const) {
      await page.locator(".format").selectOption(format);
      await expect.poll(() => page.locator("[data-export]").inputValue()).toContain(words);
    }
  };
  await expectAll();
  await page.reload();
  await visit.ready();
  await expectAll();
  // It is found by its tags, and comes from the list with all of them.
  await importText(visit, "1. d6 f4");
  await expect.poll(() => visit.moves()).toEqual(["d6", "f4"]);
  await show(page, "device");
  await expect.poll(() => listed(visit).count()).toBe(2);
  await page.locator("[data-search]").fill("brno 2026");
  await expect.poll(() => listed(visit).count()).toBe(1);
  await listed(visit).locator(".open").click();
  await expectAll();
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a game of the archive has its names and its date", async () => {
  const mock = new Mock({ name: "millbrain", archive: true });
  const visit = await Visit.open({
    settings: { review: true },
    handler: async (request, response, path) => {
      if (path !== "api/games/1") return mock.handler(request, response, path);
      const record = rules().writeGame(game(), "record");
      const answer = { id: "1", variant: "morris", ...NAMES, date: "2019-03-05T12:00:00Z", record };
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
      return true;
    },
  });
  await show(visit.page, "archive");
  await visit.page.locator("[data-archive] .open").first().click();
  await expectNames(visit, NAMES);
  await show(visit.page, "game");
  await expect.poll(() => card(visit).innerText()).toContain("· Mar 5, 2019");
  // It belongs to the server: it was neither played nor saved here.
  expect(await stored(visit)).toEqual([]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a link brings names and result, and gives them on", async () => {
  const link = writeLink({ rules: { variant: "morris" }, moves: MOVES, names: NAMES, end: END });
  const visit = await Visit.open({ settings: { review: true }, hash: link });
  await expectNames(visit, NAMES);
  const { page } = visit;
  expect(new URL((await page.locator("[data-link]").getAttribute("data-link"))!).hash).toBe(link);
  await show(page, "game");
  await expect.poll(() => card(visit).innerText()).toContain("Black resigned");
  await visit.close();
});

test("a name with marks of direction turns nothing but itself", async () => {
  const mock = new Mock({ name: "millbrain", archive: true });
  const names = { white: "\u202Eanna", black: "\u2067bob" };
  mock.games = [{ id: "1", variant: "morris", ...names }];
  const visit = await Visit.open({ handler: mock.handler });
  const { page } = visit;
  await importText(visit, rules().writeGame(game(names), "record"));
  await page.waitForSelector("[data-result]");
  let seen = 0;
  for (const [part, list] of [
    ["game", "[data-result]"],
    ["device", "[data-games] li"],
    ["archive", "[data-archive] li"],
  ] as const) {
    await show(page, part);
    await page.waitForSelector(list);
    const loose = await page.evaluate(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found: [text: string, isApart: boolean][] = [];
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const text = node.nodeValue ?? "";
        if (/[\u202A-\u202E\u2066-\u2069]/.test(text))
          found.push([text, /isolate|plaintext/.test(getComputedStyle(node.parentElement!).unicodeBidi)]);
      }
      return found;
    });
    seen += loose.length;
    expect(loose.filter(([text, isApart]) => !isApart && !text.includes("[White"))).toEqual([]);
  }
  expect(seen).toBeGreaterThan(8);
  await visit.close();
});

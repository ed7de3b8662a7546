import fc from "fast-check";
import type { GameText } from "millbrain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { lineOf } from "../src/game/text.js";
import { line } from "../src/game/tree.js";
import { en } from "../src/texts/en/page.js";
import { launch, quit, show, Visit } from "./browser.js";

beforeAll(launch);
beforeAll(() => loadRules());
afterAll(quit);

const MOVES = ["a7", "d2", "d7", "d1", "g7xd1"];

/** Returns the shown games of the list. */
const listed = (visit: Visit) => visit.page.locator("[data-games] li");

async function importText(visit: Visit, text: string): Promise<void> {
  await show(visit.page, "import");
  await visit.page.locator("[data-import]").fill(text);
  await visit.page.getByRole("button", { name: "Import", exact: true }).click();
}

async function newGame(visit: Visit): Promise<void> {
  await visit.page.click("[data-new]");
  await visit.page.click("[data-start]");
}

const undo = (visit: Visit) => visit.page.locator("[data-offer]").click();

test("a resigned game is exported, imported, shown and kept", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  for (const [side, format] of [
    ["white", "record"],
    ["black", "sgf"],
  ] as const) {
    await newGame(visit);
    for (const move of side === "white" ? MOVES.slice(0, 4) : MOVES) await visit.play(move);
    await visit.tool("Resign");
    const reported = await visit.status();
    expect(reported).toContain(`${side === "white" ? "White" : "Black"} resigned`);
    await show(page, "device");
    await page.locator(".format").selectOption(format);
    const text = await page.locator("[data-export]").inputValue();
    await newGame(visit);
    await importText(visit, text);
    await expect.poll(() => visit.status()).toBe(reported);
    await page.reload();
    await visit.ready();
    await expect.poll(() => visit.status()).toBe(reported);
    await show(page, "device");
    await expect
      .poll(() => page.locator("[data-export]").inputValue())
      .toContain('[Termination "resignation"]');
  }
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("the end of a match's game is shown, and goes out again", async () => {
  const visit = await Visit.open();
  const game: GameText = {
    variant: "morris",
    white: "A",
    black: "B",
    nodes: lineOf(MOVES.map((move) => ({ move }))),
    end: { outcome: "white", reason: "B was 3 ms late", termination: "time forfeit" },
  };
  for (const format of ["record", "sgf"] as const) {
    const text = rules().writeGame(game, format);
    await importText(visit, text);
    await visit.page.waitForSelector("#panel[data-open=game]");
    await expect.poll(() => visit.status()).toContain("White wins lost on time");
    await show(visit.page, "device");
    await visit.page.locator(".format").selectOption("record");
    await expect
      .poll(() => visit.page.locator("[data-export]").inputValue())
      .toContain('[Termination "time forfeit"]\n[Reason "B was 3 ms late"]');
  }
  await visit.close();
});

test("games are kept move by move, and what replaces one can be undone", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await visit.play("d6");
  await visit.play("f4");
  await show(page, "device");
  await expect.poll(() => listed(visit).innerText()).toContain("2 moves");
  // A link, a new game and a restart: each replaces the game, and restores it.
  await page.evaluate(() => (location.hash = "#v=smess&m=d2d3"));
  await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
  await undo(visit);
  await expect.poll(() => visit.moves()).toEqual(["d6", "f4"]);
  await newGame(visit);
  await expect.poll(() => visit.moves()).toEqual([]);
  await undo(visit);
  await expect.poll(() => visit.moves()).toEqual(["d6", "f4"]);
  await visit.tool("Restart");
  await expect.poll(() => visit.moves()).toEqual([]);
  await page.reload();
  await visit.ready();
  // Without an undo it is still among the games, and continues from there.
  await show(page, "device");
  await expect.poll(() => listed(visit).count()).toBe(1);
  await listed(visit).locator(".open").click();
  await expect.poll(() => visit.moves()).toEqual(["d6", "f4"]);
  await visit.play("b4");
  await show(page, "device");
  await expect.poll(() => listed(visit).innerText()).toContain("3 moves");
  await expect.poll(() => listed(visit).count()).toBe(1);
  // Deleting it can be undone too.
  await listed(visit).locator(".danger").click();
  await expect.poll(() => listed(visit).count()).toBe(0);
  await undo(visit);
  await expect.poll(() => listed(visit).count()).toBe(1);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a bad link replaces nothing", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await visit.play("d6");
  for (const hash of [
    "#v=chess",
    "#v=morris&m=d6,d6",
    "#v=morris&m=D6,castles",
    "#v=morris&f=%zz",
    "#v=mlyn&o=Stones=99",
    "#v=mlyn&o=Stnes=7",
    "#v=mlyn&mm=d6",
    "#v=mlyn&r=2-0",
    "#m=d6",
    "#play=0123456789ab",
    "#play=me",
  ]) {
    await page.goto(`${visit.served.url}?${encodeURIComponent(hash)}${hash}`);
    await visit.ready();
    await expect
      .poll(() => page.locator(".toast").innerText(), { message: hash })
      .toContain("The link cannot be opened");
    await expect.poll(() => visit.moves()).toEqual(["d6"]);
  }
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("what is reported on a phone covers neither the board nor the moves", async () => {
  const visit = await Visit.open({ context: { viewport: { width: 390, height: 844 } } });
  const { page } = visit;
  await visit.play("d6");
  await newGame(visit);
  await visit.play("f4");
  await page.locator("[data-offer]").waitFor();
  const covered = await page.evaluate(() => {
    const toast = document.querySelector(".toast")!.getBoundingClientRect();
    const meets = (rect: DOMRect) =>
      rect.top < toast.bottom &&
      rect.bottom > toast.top &&
      rect.left < toast.right &&
      rect.right > toast.left;
    const seen = document.querySelectorAll(".points button, .list, .actions button, .parts a");
    return [...seen].filter((one) => meets(one.getBoundingClientRect())).map(({ className }) => className);
  });
  expect(covered).toEqual([]);
  await visit.close();
});

test("of a value that is not known nothing is drawn", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const [tree, at] = line(["a7", "d2", "d7", "d1", "b4", "f4", "a1", "g1"]);
  const judgement = { score: { cp: 0 }, depth: 1, nodes: 1 };
  const nodes = tree.nodes.map((node) => ([0, 1, 2, 5, 6].includes(node.id) ? { ...node, judgement } : node));
  const game = { rules: { variant: "morris" }, tree: { nodes }, at, auto: true, paused: false, key: "k" };
  await page.evaluate((text) => {
    sessionStorage.clear();
    localStorage.setItem("millbrain.game", text);
  }, JSON.stringify(game));
  const other = await visit.another();
  await other.page.locator(".graph .black").first().waitFor({ state: "attached" });
  const drawn = other.page
    .locator(".graph .black")
    .evaluateAll((all) =>
      all.map((one) => ["x", "width"].map((name) => Math.round((Number(one.getAttribute(name)) / 300) * 8))),
    );
  expect(await drawn).toEqual([
    [0, 2],
    [5, 1],
  ]);
  await visit.close();
});

test("two windows do not overwrite each other", async () => {
  const one = await Visit.open();
  await one.play("d6");
  const two = await one.another();
  await expect.poll(() => two.moves()).toEqual(["d6"]);
  // Another game in the second window.
  await newGame(two);
  await two.play("a1");
  await one.play("f4");
  await one.page.reload();
  await one.ready();
  await expect.poll(() => one.moves()).toEqual(["d6", "f4"]);
  await two.page.reload();
  await two.ready();
  await expect.poll(() => two.moves()).toEqual(["a1"]);
  // The same game in both windows: from here on there are two.
  await show(two.page, "device");
  await expect.poll(() => listed(two).count()).toBe(2);
  await listed(two).filter({ hasText: "2 moves" }).locator(".open").click();
  await one.play("d2");
  await two.play("b4");
  await two.play("b2");
  await show(two.page, "device");
  // The list follows games played elsewhere.
  await expect.poll(() => listed(two).count()).toBe(3);
  await one.play("d1");
  await expect.poll(() => listed(two).filter({ hasText: "4 moves" }).count()).toBe(2);
  await expect.poll(() => one.moves()).toEqual(["d6", "f4", "d2", "d1"]);
  await expect.poll(() => two.moves()).toEqual(["d6", "f4", "b4", "b2"]);
  expect([...one.errors, ...two.errors]).toEqual([]);
  await one.close();
});

test("the last hundred games stay, and those that were saved", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await visit.play("d6");
  await show(page, "device");
  await page.getByRole("button", { name: "Save this game" }).click();
  await expect.poll(() => listed(visit).count()).toBe(1);
  // Played games, older than any later one; the saved one is older still.
  await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("millbrain");
        opening.onsuccess = () => {
          const transaction = opening.result.transaction("games", "readwrite");
          const store = transaction.objectStore("games");
          const all = store.getAll();
          all.onsuccess = () => {
            const [game] = all.result;
            store.put({ ...game, saved: 1 });
            for (let i = 0; i < 100; i++)
              store.put({ ...game, auto: true, key: `old ${i}`, saved: 1000 + i });
          };
          transaction.oncomplete = resolve;
          transaction.onabort = reject;
        };
      }),
  );
  await newGame(visit);
  await visit.play("a1");
  await page.reload();
  await visit.ready();
  await show(page, "device");
  await page.locator("[data-more]").click();
  await expect.poll(() => listed(visit).count()).toBe(101);
  await expect.poll(() => listed(visit).last().innerText()).toContain("saved");
  await expect.poll(() => listed(visit).first().innerText()).toContain("on the board");
  await visit.close();
});

/** Adds records to the games in the page's database. */
async function store(visit: Visit, games: unknown[]): Promise<void> {
  await visit.page.evaluate(
    (games) =>
      new Promise((resolve) => {
        const opening = indexedDB.open("millbrain", 1);
        opening.onupgradeneeded = () =>
          opening.result.createObjectStore("games", { keyPath: "key" }).createIndex("saved", "saved");
        opening.onsuccess = () => {
          const transaction = opening.result.transaction("games", "readwrite");
          for (const game of games) transaction.objectStore("games").put(game);
          transaction.oncomplete = () => {
            opening.result.close();
            resolve(undefined);
          };
        };
      }),
    games,
  );
}

test("broken games are shown as such, and can be deleted", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const [tree, at] = line(MOVES);
  const whole = { rules: { variant: "morris" }, tree, at, white: "a", black: "b", plies: 5, saved: 5 };
  const closed = { node: at, outcome: "white", reason: "", termination: "resignation" };
  await store(visit, [
    { ...whole, key: "closed", closed, outcome: "white" },
    { ...whole, key: "date", saved: 1e300 },
    { ...whole, key: "rules", rules: { variant: "chess" } },
    { ...whole, key: "moves", tree: { nodes: [{ id: 0, parent: -1, move: "", children: [0] }] } },
    { key: 7 },
  ]);
  await show(page, "device");
  await expect.poll(() => listed(visit).count()).toBe(5);
  const broken = listed(visit).filter({ hasText: en.brokenGame });
  await expect.poll(() => broken.count()).toBe(4);
  for (let left = 3; left >= 0; left--) {
    await broken.first().locator(".danger").click();
    await expect.poll(() => broken.count()).toBe(left);
  }
  await listed(visit).locator(".open").click();
  await expect.poll(() => visit.status()).toContain("White wins Black resigned");
  // A game that looks valid, but breaks the rules.
  await store(visit, [{ ...whole, key: "illegal", tree: line(["d6", "d6"])[0], at: 2, saved: 9 }]);
  await show(page, "game");
  await show(page, "device");
  await expect.poll(() => listed(visit).count()).toBe(2);
  await listed(visit).first().locator(".open").click();
  await expect.poll(() => page.locator(".fault").innerText()).toContain("move 2 (d6) is illegal");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("the page comes up whatever is stored", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const [tree, at] = line(MOVES);
  const game = { rules: { variant: "morris" }, tree, at, auto: true, paused: false, key: "k" };
  const settings = { lang: "en", theme: "dark", lines: 3, engine: "auto", bar: true };
  /** Generates a value with one field replaced, or any value at all. */
  const near = (value: Record<string, unknown>) =>
    fc.oneof(
      fc
        .tuple(fc.constantFrom(...Object.keys(value)), fc.jsonValue())
        .map(([name, other]) => ({ ...value, [name]: other })),
      fc.jsonValue(),
    );
  const seed = Date.now() % 1_000_000;
  const samples = fc.sample(fc.tuple(near(settings), near(game)), { seed, numRuns: 4 });
  const bad = [
    [{ ...settings, lang: "xx", theme: "pink", lines: -3, engine: "moon" }, game],
    [settings, { ...game, resigned: "black" }],
    [settings, { ...game, at: 99 }],
  ] as const;
  for (const [one, two] of [...bad, ...samples]) {
    const texts = [JSON.stringify(one), JSON.stringify(two)] as const;
    const reported = `seed ${seed}: ${texts.join(" ")}`;
    await page.evaluate(([settings, game]) => {
      localStorage.setItem("millbrain.settings", settings);
      sessionStorage.setItem("millbrain.game", game);
    }, texts);
    await page.reload();
    await page.waitForSelector(".points button", { timeout: 60_000 }).catch(() => expect.fail(reported));
    for (const part of ["game", "analysis", "device"] as const) await show(page, part);
    await expect.poll(() => page.locator(".status").innerText(), { message: reported }).not.toBe("");
    expect(visit.errors, reported).toEqual([]);
  }
  await visit.close();
});

test("the dialog for a new game shows what begins", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const field = page.getByLabel("Stones of each side");
  const fault = page.locator("dialog .fault");
  await page.click("[data-new]");
  expect(await field.isVisible()).toBe(false);
  await page.locator("summary").click();
  // Invalid values are reported, and remain as typed.
  for (const typed of ["2", "99", "-1", "7.4", ""]) {
    await field.fill(typed);
    await field.blur();
    await page.click("[data-start]");
    await expect
      .poll(() => fault.innerText())
      .toMatch(/ for Stones of each side: expected a number from 3 to 12$/);
    expect(await fault.innerText()).toContain(typed);
    expect(await field.inputValue()).toBe(typed);
    expect((await visit.kept()).rules).toEqual({ variant: "morris" });
  }
  await field.fill("7");
  await page.click("[data-start]");
  await expect.poll(async () => (await visit.kept()).rules.options).toEqual({ Stones: 7 });
  // The next game uses them too, and they are visible.
  await page.click("[data-new]");
  await expect.poll(() => field.inputValue()).toBe("7");
  await expect.poll(() => page.locator(".variant.on").innerText()).toContain("· House rules");
  expect(await field.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  // The same applies to stones in hand in the editor.
  await show(page, "editor");
  const hand = page.getByLabel("In hand, White");
  for (const [typed, reported] of [
    ["-1", 'white\'s hand is "-1", expected a number of stones'],
    ["2.5", 'white\'s hand is "2.5"'],
    ["99", 'white\'s hand is "99", expected a number from 0 to 7'],
  ] as const) {
    await hand.fill(typed);
    await expect.poll(() => page.locator("[data-faults]").innerText()).toContain(reported);
    expect(await hand.inputValue()).toBe(typed);
  }
  await visit.close();
});

test("faults are reported in the language of the page", async () => {
  const visit = await Visit.open({ context: { locale: "de-DE" } });
  const { page } = visit;
  await show(page, "import");
  await page.locator("[data-import]").fill("d6 d6");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect.poll(() => page.locator(".fault").innerText()).toBe("Zug 2 (d6) ist regelwidrig");
  await show(page, "editor");
  await page.locator("[data-fen]").fill("OOO/XXX/3/6/3/3/3 w 9 0");
  await expect
    .poll(() => page.locator("[data-faults]").innerText())
    .toContain("Weiß hat 12 Steine auf dem Brett und in der Hand, erwartet höchstens 9");
  await visit.close();
});

test("however long a game is, it is read beside the page", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const readers: string[] = [];
  page.on("worker", (worker) => {
    if (worker.url().includes("read.worker")) {
      readers.push("begun");
      worker.on("close", () => readers.push("ended"));
    }
  });
  // More than the field shows: it is read as soon as it is pasted.
  const text = `[Variant "mlyn"]\n\n1. d6 {${"a long story ".repeat(25_000)}} f4 *\n`;
  await show(page, "import");
  // Pasted as soon as the view appears.
  await page.locator("[data-import]").evaluate((field, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    field.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, cancelable: true, bubbles: true }),
    );
  }, text);
  await expect.poll(() => visit.moves()).toEqual(["d6", "f4"]);
  await expect.poll(() => readers).toEqual(["begun", "ended"]);
  await show(page, "device");
  await expect.poll(() => listed(visit).allInnerTexts()).toEqual([expect.stringContaining("2 moves")]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("games of this device tell what was played from a position", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const game = (moves: string, result: string) =>
    `[Variant "morris"]\n[Result "${result}"]\n[Termination "adjudication"]\n[Reason "resigned"]\n\n${moves} ${result}\n\n`;
  // A symmetric game, another one, and one of another variant.
  const texts = [
    game("d6 f4", "1-0"),
    game("f4 d2", "1/2-1/2"),
    game("a7 d6", "0-1"),
    game("d6", "1-0").replace("morris", "lasker"),
  ];
  await importText(visit, texts.join(""));
  await expect.poll(() => listed(visit).count()).toBe(4);
  await newGame(visit);
  await show(page, "analysis");
  await page.getByText("3 other games on this device reached this position.").waitFor();
  const rows = await page.locator("[data-openings] [data-move]").allInnerTexts();
  const reported = rows.map((row) => /(\d+)\s+(\d+) \/ (\d+) \/ (\d+)/.exec(row)?.slice(1).map(Number));
  expect(reported).toEqual([[2, 1, 1, 0], [1, 0, 0, 1], undefined, undefined]);
  // A click plays the move, and its continuations are shown.
  await page.locator("[data-openings] [data-move] button").first().click();
  await page.getByText("2 other games on this device reached this position.").waitFor();
  await expect
    .poll(() => page.locator("[data-openings] [data-move]").first().innerText())
    .toMatch(/2\s+1 \/ 1 \/ 0/);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

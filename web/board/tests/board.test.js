// The built element in a browser, on a page with only the element and data.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript" };
let server, browser, page, origin;
const errors = [];

before(async () => {
  server = createServer(async ({ url }, response) => {
    const body = await readFile(new URL(`..${url}`, import.meta.url)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { "Content-Type": TYPES[extname(url)] ?? "text/plain" }).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${server.address().port}`;
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server.close();
});
beforeEach(async () => {
  await page?.context().close();
  const context = await browser.newContext({ reducedMotion: "reduce" });
  // A busy machine is not a fault of the board.
  context.setDefaultTimeout(30_000);
  page = await context.newPage();
  errors.length = 0;
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(`${origin}/examples/index.html`);
  await page.locator("#editor [data-point]").first().waitFor();
});

const point = (board, name) => page.locator(`#${board} [data-point="${name}"]`);
const piece = (board, name) => page.locator(`#${board} [data-piece="${name}"]`);
/** Records the later events, by name. */
const listen = (board) =>
  page.evaluate((id) => {
    globalThis.reported = [];
    for (const name of ["board-point", "board-pick", "board-move"]) {
      document
        .getElementById(id)
        .addEventListener(name, ({ detail }) =>
          reported.push([name, detail.text ?? detail.point ?? detail.from ?? null]),
        );
    }
  }, board);
const reported = () => page.evaluate(() => globalThis.reported);

test("any layout is drawn, with what stands on it", async () => {
  for (const [id, points, pieces] of [
    ["morris", 24, 7],
    ["morabaraba", 24, 6],
    ["smess", 56, 24],
    ["slate", 9, 0],
  ]) {
    assert.equal(await page.locator(`#${id} [data-point]`).count(), points, id);
    assert.equal(await page.locator(`#${id} [data-piece]`).count(), pieces, id);
  }
  assert.equal(await page.locator("#picture [data-point]").count(), 0, "a picture has nothing to click");
  assert.ok((await page.locator("#smess .arrow").count()) > 56);
  assert.deepEqual(await page.locator("#smess .badge text").allTextContents(), ["+9", "="]);
  // The styles of every part are present.
  const style = (selector, name) =>
    page
      .locator(`#smess ${selector}`)
      .first()
      .evaluate((element, name) => getComputedStyle(element)[name], name);
  assert.equal(await style("ellipse", "filter"), "blur(4px)");
  assert.equal(await style(".arrow", "opacity"), "0.72");
  assert.equal(await style(".overlay .hint line", "stroke"), "rgb(46, 143, 91)");
  assert.equal(await style(".points button", "position"), "absolute");
  assert.deepEqual(errors, []);
});

test("two clicks are a move, a mill asks for a stone, and Escape calls it off", async () => {
  await listen("morris");
  await point("morris", "d7").click();
  await page.keyboard.press("Escape");
  assert.deepEqual((await reported()).at(-1), ["board-pick", null]);
  const closing = await page.evaluate(() =>
    document.getElementById("morris").moves.find(({ taken }) => taken.length > 0),
  );
  assert.ok(closing, "a move that closes a mill");
  await point("morris", closing.from).click();
  await point("morris", closing.to).click();
  assert.equal((await reported()).filter(([name]) => name === "board-move").length, 0);
  await point("morris", closing.taken[0]).click();
  assert.deepEqual((await reported()).at(-1), ["board-move", closing.text]);
  assert.equal(await piece("morris", closing.to).count(), 1);
  assert.equal(await piece("morris", closing.taken[0]).count(), 0);
  assert.equal(await page.locator("#played").innerText(), `Played: ${closing.text}.`);
});

test("a piece is dragged where it can go, and nowhere else", async () => {
  const [move, elsewhere] = await page.evaluate(() => {
    const { moves, pieces, side } = document.getElementById("smess");
    const own = pieces.filter((piece) => piece.side === side && piece.point !== moves[0].from);
    return [
      moves[0],
      own.find(({ point }) => !moves.some(({ from, to }) => from === moves[0].from && to === point)).point,
    ];
  });
  const middle = async (name) => {
    const { x, y, width, height } = await point("smess", name).boundingBox();
    return [x + width / 2, y + height / 2];
  };
  await point("smess", move.from).scrollIntoViewIfNeeded();
  const drag = async (from, to) => {
    await page.mouse.move(...(await middle(from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(to)), { steps: 6 });
    await page.mouse.up();
  };
  await listen("smess");
  await drag(move.from, elsewhere);
  assert.equal((await reported()).filter(([name]) => name === "board-move").length, 0);
  await drag(move.from, move.to);
  assert.deepEqual((await reported()).at(-1), ["board-move", move.text]);
  assert.equal(await piece("smess", move.to).count(), 1);
});

test("the keyboard goes along the board, and a screen reader hears what is there", async () => {
  await point("slate", "a3").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  const focused = () =>
    page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("aria-label"));
  assert.equal(await focused(), "b2, empty, can be gone to");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "b2, white, last move");
  assert.equal(
    await page.locator("#slate").getByRole("group").getAttribute("aria-label"),
    "Three Men's Morris",
  );
  await page.evaluate(() => {
    const board = document.getElementById("slate");
    board.words = {
      ...board.words,
      piece: (name, side) => `${name}: ${side === "white" ? "Weiß" : "Schwarz"}`,
      last: "letzter Zug",
    };
  });
  assert.equal(await focused(), "b2: Weiß, letzter Zug");
});

test("who prevents a click does with it what is to be done", async () => {
  await page.evaluate(() =>
    document.getElementById("slate").addEventListener("board-point", (event) => event.preventDefault()),
  );
  await listen("slate");
  await point("slate", "b2").click();
  assert.deepEqual(await reported(), [["board-point", "b2"]]);
  for (const count of [8, 8, 7]) {
    await point("editor", "d6").click();
    assert.equal(await page.locator("#editor [data-piece]").count(), count);
  }
});

test("attributes, colours, and what is no layout", async () => {
  const colour = (id, name) =>
    page.evaluate(
      ([id, name]) => getComputedStyle(document.getElementById(id)).getPropertyValue(name).trim(),
      [id, name],
    );
  assert.equal(await colour("slate", "--line"), "#1c262b", "that of the page wins");
  assert.notEqual(await colour("morabaraba", "--light-a"), await colour("morris", "--light-a"));
  await page.evaluate(() => document.getElementById("morabaraba").removeAttribute("stones"));
  assert.equal(await colour("morabaraba", "--light-a"), await colour("morris", "--light-a"));
  const painted = () =>
    page.evaluate(() => {
      const text = document.createElement("i");
      text.style.color = "var(--chosen)";
      document.getElementById("editor").shadowRoot.append(text);
      const { color } = getComputedStyle(text);
      text.remove();
      return color;
    });
  const day = await painted();
  await page.evaluate(() => document.getElementById("editor").setAttribute("theme", "dark"));
  assert.notEqual(await painted(), day);
  const top = async () => (await point("morris", "a7").boundingBox()).y;
  const before = await top();
  await page.evaluate(() => (document.getElementById("morris").flipped = true));
  assert.ok((await top()) > before);
  assert.ok((await page.locator("#morris .coordinates text").count()) > 0);
  assert.equal(await page.locator("#editor .coordinates text").count(), 0);
  const refusal = await page.evaluate(() => {
    try {
      document.getElementById("morris").layout = { points: 3 };
    } catch (error) {
      return String(error);
    }
  });
  assert.match(refusal, /^TypeError: no layout, expected an object with points/);
  assert.equal(await page.locator("#morris [data-point]").count(), 24, "the board is as it was");
});

test("elements come and go, and made by hand they are the same", async () => {
  const count = await page.evaluate(async () => {
    const { MillbrainBoard } = await import("../dist/index.js");
    const board = document.createElement("millbrain-board");
    if (!(board instanceof MillbrainBoard)) throw new Error("another class");
    const { layout, pieces, moves } = document.getElementById("slate");
    Object.assign(board, { layout, pieces, moves });
    for (let i = 0; i < 3; i++) {
      document.body.append(board);
      board.remove();
    }
    document.body.append(board);
    return board.shadowRoot.querySelectorAll("[data-point]").length;
  });
  assert.equal(count, 9);
  assert.deepEqual(errors, []);
});

test("axe finds nothing, by day and by night, on small screens and large ones", async () => {
  for (const [colorScheme, width] of [
    ["light", 900],
    ["dark", 320],
  ]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
      [],
    );
  }
});

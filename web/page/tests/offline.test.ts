import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";
import { type Handler, serve } from "./serve.js";

beforeAll(launch);
afterAll(quit);

/** Returns a host whose answers vary, and the number of requests of each file. */
function varying(): { handler: Handler; asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const handler: Handler = (_, response, path) => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    response.setHeader("Vary", "Origin, Accept-Encoding");
    return false;
  };
  return { handler, asked };
}

const NETWORKS = ["lasker.net", "mlyn.net", "morabaraba.net", "morris.net", "smess.net"];

/** Waits until these files of the engine are cached. */
async function cached({ page }: Visit, names: readonly string[]): Promise<void> {
  const isThere = (name: string) =>
    page.evaluate(async (name) => (await caches.match(`engine/${name}`)) !== undefined, name);
  for (const name of names) {
    await expect.poll(() => isThere(name), { timeout: 60_000, message: name }).toBe(true);
  }
}

/** Starts a game of Smess with a computer as Black. */
async function playSmess(visit: Visit): Promise<void> {
  await visit.page.click("[data-new]");
  await visit.page.locator('.variant:has(input[value="smess"])').click();
  await visit.page.click("[data-start]");
  await visit.play("d2d3");
  await visit.reached(2);
}

/** Opens a puzzle of Smess, and returns to the game. */
async function openPuzzle({ page }: Visit): Promise<void> {
  await show(page, "puzzles");
  await page.selectOption("[data-variant]", "smess");
  await page.click("[data-begin]");
  await page.waitForSelector(".squares .points button");
  await page.click("[data-close]");
  await show(page, "game");
}

test("a host that sends Vary is asked once for each file, and then not needed, not even for another game", async () => {
  const { handler, asked } = varying();
  const served = await serve("/some/where/", handler);
  const visit = await Visit.open({ served, keeps: true, settings: { bar: true }, levels: { black: 3 } });
  const { page, context } = visit;
  await visit.play("d6");
  await visit.reached(2);
  // The evaluation bar searches at full strength, which asks for the pack at once.
  await cached(visit, ["games.wasm", "packs/morris.pack"]);
  // The second visit fetches what other games need, half a minute later if no search ends before.
  await page.clock.install();
  await page.reload();
  await visit.ready();
  await page.clock.fastForward(30_000);
  await cached(visit, [...NETWORKS, "morris/4-4.dtw"]);
  await openPuzzle(visit);
  asked.delete("api/info");
  // A browser sends the origin when it requests a font, and a service worker does not. It requests the icon by itself,
  // perhaps for both visits beside the worker, and checks occasionally for a newer service worker.
  const most = (path: string) =>
    path === "sw.js" ? Infinity : path === "icon.svg" ? 3 : path.endsWith(".woff2") ? 2 : 1;
  expect([...asked].filter(([path, count]) => count > most(path))).toEqual([]);
  expect([...asked.keys()]).toEqual(expect.arrayContaining(["sw.js", "theme.js", "icon-512.png"]));

  await context.setOffline(true);
  served.close();
  await page.reload();
  await visit.ready();
  await expect.poll(() => visit.moves()).toHaveLength(2);
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).overflow)).toBe("hidden");
  const fonts = () =>
    page.evaluate(async () => (await document.fonts.load("15px 'Figtree Variable'")).length);
  await expect.poll(() => fonts()).toBeGreaterThan(0);
  await visit.play((await visit.state()).moves[0]!.text);
  await visit.reached(4);
  // Fetched puzzles are cached.
  await openPuzzle(visit);
  await playSmess(visit);
  expect((await page.locator(".toast").allInnerTexts()).join()).not.toContain("Parts of the engine");
  // The browser reports each failed request; through a service worker it has another name.
  const isOffline = (error: string) => /net::ERR_(INTERNET_DISCONNECTED|FAILED)/.test(error);
  expect(visit.errors.filter((error) => !isOffline(error))).toEqual([]);
  await context.close();
});

for (const [lang, text] of [
  ["en", "Parts of the engine for Smess are missing on this device"],
  ["de", "Teile der Engine für Smess fehlen auf diesem Gerät"],
  ["sk", "Časti programu pre hru Smess v tomto zariadení chýbajú"],
] as const) {
  test(`a game whose network cannot be had is played without, and the page says so, ${lang}`, async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const handler: Handler = async (_, response, path) => {
      if (path !== "engine/smess.net") return false;
      await held;
      response.writeHead(503).end();
      return true;
    };
    const settings = { lang };
    const visit = await Visit.open({ handler, settings, levels: { black: 0 }, hash: "#v=smess" });
    await visit.play("d2d3");
    const reported = visit.page.getByText(text).first().waitFor();
    release();
    await reported;
    await visit.reached(2);
    await visit.close();
  });
}

for (const [variant, move, network] of [
  ["morris", "d6", "morris.net"],
  ["mlyn", "d6", "mlyn.net"],
  ["smess", "d2d3", "smess.net"],
] as const) {
  test(`the first reply in ${variant} waits for its network alone`, async () => {
    const { handler, asked } = varying();
    const visit = await Visit.open({ handler, hash: `#v=${variant}`, levels: { black: 3 } });
    await visit.play(move);
    await visit.reached(2);
    const files = [...asked.keys()].filter((path) => path.startsWith("engine/"));
    const modules = ["engine/games.wasm", "engine/millbrain.wasm", "engine/rules.wasm"];
    // The module for games is loaded while the page is idle, before or after.
    expect(modules).toEqual(expect.arrayContaining(files.filter((path) => path.endsWith(".wasm"))));
    expect(files.filter((path) => !path.endsWith(".wasm"))).toEqual([`engine/${network}`]);
    await visit.close();
  });
}

test("on a first visit nothing is fetched before the network that the first reply waits for", async () => {
  const { handler, asked } = varying();
  const visit = await Visit.open({ handler, keeps: true, levels: { black: 3 } });
  await visit.play("d6");
  await visit.reached(2);
  await cached(visit, ["games.wasm"]);
  await expect.poll(() => asked.has("sw.js")).toBe(true);
  const order = [...asked.keys()];
  const network = order.indexOf("engine/morris.net");
  expect(network).toBeGreaterThan(0);
  const before = order
    .slice(0, network)
    .filter((path) => !/^(assets|api)\/|^(theme\.js)?$|icon|manifest/.test(path));
  expect(before.sort()).toEqual(["engine/millbrain.wasm", "engine/rules.wasm"]);
  for (const path of ["sw.js", "engine/games.wasm"])
    expect(order.indexOf(path), path).toBeGreaterThan(network);
  // Tables, packs and the networks of other games wait for a second visit.
  expect(order.filter((path) => /\.(net|wdl|dtw|pack)$/.test(path))).toEqual(["engine/morris.net"]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a strategy that cannot be had is reported where a level plays by it, and nowhere else", async () => {
  const handler: Handler = (_, response, path) => {
    const isPack = path.startsWith("engine/packs/");
    if (isPack) response.writeHead(503).end();
    return isPack;
  };
  for (const level of [8, 20]) {
    const visit = await Visit.open({ handler, levels: { black: level }, time: 100 });
    const { page } = visit;
    let reported = "";
    await page.exposeFunction("tell", (text: string) => (reported += text));
    await page.evaluate(() => {
      const { tell } = globalThis as unknown as { tell: (text: string) => void };
      new MutationObserver(() => tell(document.querySelector(".toast")?.textContent ?? "")).observe(
        document.body,
        {
          childList: true,
          subtree: true,
        },
      );
    });
    // A hint is a search at full strength, which lacks it.
    for (let moves = 0; moves < 4; moves += 2) {
      await visit.tool("Hint");
      await page.locator(".overlay .hint").first().waitFor({ state: "attached" });
      await visit.play((await visit.state()).moves[0]!.text);
      await visit.reached(moves + 2);
    }
    const text = "Parts of the engine for Nine Men's Morris";
    if (level === 20) await expect.poll(() => reported).toContain(text);
    else expect(reported).not.toContain(text);
    await visit.close();
  }
});

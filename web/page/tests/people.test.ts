import { AxeBuilder } from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, Visit } from "./browser.js";
import type { Handler } from "./serve.js";

beforeAll(launch);
afterAll(quit);

const MID = "#v=morris&m=d6,f4,d2,b4,f2,b2,f6,b6xd6";

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing to complain of, ${theme}`, async () => {
    const visit = await Visit.open({ hash: MID, settings: { theme, analyse: true, tables: true } });
    const { page } = visit;
    const check = async (view: string) => {
      const { violations } = await new AxeBuilder({ page } as never).analyze();
      const told = violations.map(
        ({ id, nodes }) => `${view}: ${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
      );
      expect(told).toEqual([]);
    };
    for (const tab of ["game", "analysis", "setup", "games", "help"]) {
      await page.click(`#tab-${tab}`);
      await check(tab);
    }
    await page.click("[data-new]");
    await page.locator("summary").click();
    await check("new game");
    await page.keyboard.press("Escape");
    await page.click("[data-settings]");
    await check("settings");
    await page.keyboard.press("Escape");
    await page.evaluate(() => (location.hash = "#v=smess&m=f2g1"));
    await expect.poll(() => visit.moves()).toEqual(["f2g1"]);
    await page.click("#tab-game");
    await check("smess");
    await visit.close();
  });
}

test("the language is that of the browser, and can be changed for good", async () => {
  const visit = await Visit.open({ context: { locale: "sk-SK" } });
  const { page } = visit;
  expect(await page.locator("html").getAttribute("lang")).toBe("sk");
  expect(await visit.status()).toContain("Na ťahu je Biely");
  expect(await visit.point("d6").getAttribute("aria-label")).toBe("d6, voľný, možný cieľ");
  await page.click("#tab-help");
  expect(await page.locator("[data-rules]").innerText()).toContain("Dvaja hráči");
  await page.click("[data-settings]");
  await page.locator("[data-language]").selectOption("de");
  await page.keyboard.press("Escape");
  expect(await page.locator("html").getAttribute("lang")).toBe("de");
  expect(await visit.status()).toContain("Weiß ist am Zug");
  expect(await page.locator("[data-rules]").innerText()).toContain("Zwei Spieler");
  await page.reload();
  await visit.ready();
  expect(await visit.status()).toContain("Weiß ist am Zug");
  await visit.close();
  const other = await Visit.open({ context: { locale: "fr-FR" } });
  expect(await other.page.locator("html").getAttribute("lang")).toBe("en");
  await other.close();
});

test("nothing on the page jumps while one plays", async () => {
  for (const viewport of [
    { width: 360, height: 740 },
    { width: 1440, height: 900 },
  ]) {
    const visit = await Visit.open({ levels: { black: 2 }, context: { viewport } });
    const { page } = visit;
    await page.evaluate(() => {
      const seen = window as unknown as { shift: number };
      seen.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (let i = 0; i < 5; i++) {
      const state = await visit.state();
      await visit.play(state.moves[0]!.text);
      await visit.reached(2 * i + 2);
    }
    await visit.tool("Resign");
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.05);
    await visit.close();
  }
});

test("the page can be installed", async () => {
  const visit = await Visit.open();
  const { page, served } = visit;
  const href = await page.locator('link[rel="manifest"]').getAttribute("href");
  const manifest = await (await page.request.get(served.url + href)).json();
  for (const { src } of manifest.icons)
    expect((await page.request.get(served.url + src)).status(), src).toBe(200);
  expect(new URL(manifest.start_url, served.url).href).toBe(served.url);
  await visit.close();
});

test("the theme can be changed for good", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const colour = () => page.evaluate(() => getComputedStyle(document.body).color);
  const light = await colour();
  await page.click("[data-settings]");
  await page.locator("[data-theme-choice]").selectOption("dark");
  const dark = await colour();
  expect(dark).not.toBe(light);
  await page.reload();
  await visit.ready();
  expect(await colour()).toBe(dark);
  await visit.close();
});

test("a game is played with the keyboard alone", async () => {
  const visit = await Visit.open({ levels: { black: 2 } });
  const { page } = visit;
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["point"]);
  for (let i = 0; i < 30 && (await focused()) === undefined; i++) await page.keyboard.press("Tab");
  expect(await focused()).toBe("a7");
  /** Goes there by the arrow keys, however the board leads. */
  const goTo = async (name: string) => {
    for (let i = 0; i < 20; i++) {
      const here = (await focused()) as string;
      if (here === name) return;
      const [dx, dy] = [name.charCodeAt(0) - here.charCodeAt(0), Number(name[1]) - Number(here[1])];
      const keys = [
        dy > 0 ? "ArrowUp" : dy < 0 ? "ArrowDown" : "",
        dx > 0 ? "ArrowRight" : dx < 0 ? "ArrowLeft" : "",
      ];
      const wanted = keys.filter((key) => key !== "");
      await page.keyboard.press(wanted[i % wanted.length] as string);
    }
    throw new Error(`${name} is not reached`);
  };
  await page.keyboard.press("ArrowRight");
  expect(await focused()).toBe("d7");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("d6");
  for (let own = 0; own < 4; own++) {
    const state = await visit.state();
    const name = (state.moves.find(({ text }) => text.length === 2) ?? state.moves[0]!).text;
    await goTo(name.slice(0, 2));
    await page.keyboard.press(own % 2 === 0 ? "Enter" : " ");
    if (name.includes("x")) {
      await goTo(name.slice(-2));
      await page.keyboard.press("Enter");
    }
    await visit.reached(2 * own + 2);
  }
  expect(await page.locator("[data-live]").innerText()).toMatch(/Black (places|moves)/);
  await page.keyboard.press("z");
  expect(await visit.moves()).toHaveLength(6);
  await page.keyboard.press("y");
  expect(await visit.moves()).toHaveLength(8);
  await page.keyboard.press("n");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  expect(await page.locator("dialog[open]").count()).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

for (const [width, height] of [
  [320, 568],
  [360, 740],
  [740, 360],
  [820, 1180],
  [1440, 900],
  [2560, 1440],
] as const) {
  test(`the board is wholly visible on ${width} x ${height}`, async () => {
    for (const hash of ["#v=morabaraba&m=d6", "#v=smess&m=d2d3"]) {
      const visit = await Visit.open({ hash, context: { viewport: { width, height } } });
      const { page } = visit;
      for (const tab of ["game", "help"]) {
        await page.click(`#tab-${tab}`);
        const box = await page
          .locator(".board .points")
          .first()
          .evaluate((element) => {
            const { left, top, right, bottom, width } = (
              element.parentElement as HTMLElement
            ).getBoundingClientRect();
            return { left, top, right, bottom, width };
          });
        expect(box.left).toBeGreaterThanOrEqual(0);
        expect(box.top).toBeGreaterThanOrEqual(0);
        expect(box.right).toBeLessThanOrEqual(width);
        expect(box.bottom).toBeLessThanOrEqual(height);
        expect(box.width).toBeGreaterThan(Math.min(width, height) * 0.45);
      }
      // Nothing scrolls but panels, and everything can be hit with a finger.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const small = await page.evaluate(() =>
        [...document.querySelectorAll("button, select, input:not(.hidden)")]
          .map((element) => ({ rect: element.getBoundingClientRect(), html: element.outerHTML.slice(0, 90) }))
          .filter(({ rect }) => rect.width > 0 && (rect.width < 24 || rect.height < 24))
          .map(({ html, rect }) => `${html} ${rect.width}x${rect.height}`),
      );
      expect(small).toEqual([]);
      await visit.close();
    }
  });
}

for (const [width, height] of [
  [320, 568],
  [512, 384],
] as const) {
  test(`nothing scrolls sideways on ${width} x ${height}, and points can be hit`, async () => {
    const context = { viewport: { width, height }, deviceScaleFactor: 2 };
    // The second time the page's fonts are not there, and wider ones stand in, as they do on a slow line.
    const withoutFonts: Handler = (_, response, path) => {
      const isFont = path.endsWith(".woff2");
      if (isFont) response.writeHead(404).end();
      return isFont;
    };
    for (const [hash, handler] of [[MID], ["#v=smess&m=d2d3", withoutFonts]] as const) {
      const visit = await Visit.open({ hash, handler, context, settings: { analyse: true, tables: true } });
      const { page } = visit;
      for (const tab of ["game", "analysis", "setup", "games", "help"]) {
        await page.click(`#tab-${tab}`);
        const wide = () =>
          page.evaluate(() =>
            [document.documentElement, ...document.querySelectorAll("body, body *")]
              .filter(
                (element) =>
                  element.scrollWidth > element.clientWidth &&
                  (element === document.documentElement ||
                    /auto|scroll/.test(getComputedStyle(element).overflowX)),
              )
              .map((element) => `${element.outerHTML.slice(0, 90)} ${element.scrollWidth}`),
          );
        // Once it has come to rest: what is drawn for a moment only, nobody can scroll.
        await expect.poll(wide, { message: tab, timeout: 5_000 }).toEqual([]);
      }
      await page.click("#tab-game");
      const least = await page
        .locator(".points button")
        .evaluateAll((points) => Math.min(...points.map((point) => point.getBoundingClientRect().width)));
      expect(least).toBeGreaterThanOrEqual(24);
      await visit.close();
    }
  });
}

test("a hint is told to those who listen, and so is the same one again", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const live = page.locator("[data-live]");
  for (let i = 0; i < 2; i++) {
    await visit.tool("Hint");
    await expect.poll(() => live.innerText(), { timeout: 60_000 }).toMatch(/Hint: White places [a-g][1-7]\./);
    await page.keyboard.press("Escape");
    await expect.poll(() => live.innerText()).toBe("");
  }
  await visit.close();
});

test("a message on a phone is not over the board", async () => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 740, height: 360 },
  ]) {
    const visit = await Visit.open({ hash: MID, context: { viewport } });
    const { page } = visit;
    await page.evaluate(() => (location.hash = "#v=morris&m=d6"));
    const toast = await page.locator(".toast").boundingBox();
    const board = await page.locator(".board").first().boundingBox();
    if (!toast || !board) throw new Error("nothing to compare");
    const isApart =
      toast.y >= board.y + board.height - 1 ||
      toast.x >= board.x + board.width - 1 ||
      toast.y + toast.height <= board.y;
    expect(isApart, JSON.stringify({ toast, board })).toBe(true);
    await visit.close();
  }
});

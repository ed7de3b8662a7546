import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

const MID = "#v=morris&m=d6,f4,d2,b4,f2,b2,f6,b6xd6";

test("the language is that of the browser, and can be changed for good", async () => {
  const visit = await Visit.open({ context: { locale: "sk-SK" } });
  const { page } = visit;
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("sk");
  await expect.poll(() => visit.status()).toContain("Na ťahu je Biely");
  await expect.poll(() => visit.point("d6").getAttribute("aria-label")).toBe("d6, voľný, možný cieľ");
  await show(page, "rules");
  await expect.poll(() => page.locator("[data-rules]").innerText()).toContain("Dvaja hráči");
  await show(page, "settings");
  await page.locator("[data-language]").selectOption("de");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("de");
  await expect.poll(() => visit.status()).toContain("Weiß am Zug");
  await show(page, "rules");
  await expect.poll(() => page.locator("[data-rules]").innerText()).toContain("Zwei Spieler");
  await visit.reload();
  await visit.ready();
  await expect.poll(() => visit.status()).toContain("Weiß am Zug");
  await visit.close();
  const other = await Visit.open({ context: { locale: "fr-FR" } });
  await expect.poll(() => other.page.locator("html").getAttribute("lang")).toBe("en");
  await other.close();
});

test("nothing on the page jumps while one plays", async () => {
  for (const viewport of [
    { width: 360, height: 740 },
    { width: 1440, height: 900 },
  ]) {
    const visit = await Visit.open({ levels: { black: 2 }, settings: { bar: true }, context: { viewport } });
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
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { shift: number }).shift))
      .toBeLessThan(0.05);
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
  await show(page, "settings");
  await page.locator("[data-theme-choice]").selectOption("dark");
  const dark = await colour();
  expect(dark).not.toBe(light);
  await page.reload();
  await visit.ready();
  await expect.poll(() => colour()).toBe(dark);
  await visit.close();
});

test("a game is played with the keyboard alone", async () => {
  const visit = await Visit.open({ levels: { black: 2 } });
  const { page } = visit;
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["point"]);
  for (let i = 0; i < 30 && (await focused()) === undefined; i++) await page.keyboard.press("Tab");
  await expect.poll(() => focused()).toBe("a7");
  /** Moves the focus there by the arrow keys, on any path. */
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
  await expect.poll(() => focused()).toBe("d7");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => focused()).toBe("d6");
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
  await expect.poll(() => page.locator("[data-live]").innerText()).toMatch(/Black (places|moves)/);
  await page.keyboard.press("z");
  await expect.poll(() => visit.moves()).toHaveLength(6);
  await page.keyboard.press("y");
  await expect.poll(() => visit.moves()).toHaveLength(8);
  await page.keyboard.press("n");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a hint is reported to those who listen, and so is the same one again", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const live = page.locator("[data-live]");
  for (let i = 0; i < 2; i++) {
    await visit.tool("Hint");
    await expect.poll(() => live.innerText(), { timeout: 60_000 }).toMatch(/Hint: Look at [a-g][1-7]\b/);
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

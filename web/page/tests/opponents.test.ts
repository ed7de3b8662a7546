import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complaints } from "./axe.js";
import { launch, quit, Visit } from "./browser.js";
import { canServe, NativeServer } from "./native.js";
import { serve, type Served } from "./serve.js";

/** Two people in two browsers, with the native program as their server. */
let server: NativeServer | undefined;
let served: Served;

beforeAll(async () => {
  await launch();
  if (!canServe) return;
  server = new NativeServer("--requests", "1000");
  served = { url: `http://${await server.start()}/`, close: () => {} } as Served;
});
afterAll(async () => {
  await quit();
  await server?.remove();
});

const open = (hash = "") => Visit.open({ served, hash });
const movesOf = (page: Page) => page.locator("[data-moves] li").allInnerTexts();

async function play(visit: Visit, ...points: string[]): Promise<void> {
  for (const point of points) await visit.point(point).click();
}

/** Opens a game as White, and has another browser join it by its link. */
async function pair(clock: string): Promise<{ white: Visit; black: Visit; link: string }> {
  const white = await open();
  await white.page.click("#tab-people");
  await white.page.locator("[data-name]").fill("Ann");
  await white.page.locator("[data-colour]").selectOption("white");
  await white.page.locator("[data-clocks]").selectOption(clock);
  if (clock === "own") {
    await white.page.locator("[data-minutes]").fill("5");
    await white.page.locator("[data-seconds]").fill("7");
  }
  await white.page.locator("[data-create] [type=submit]").click();
  const link = await white.page.locator("[data-link]").inputValue();
  const black = await open(new URL(link).hash);
  await black.page.locator("[data-name]").fill("Bo");
  await black.page.click("[data-join]");
  await white.page.locator("[data-people-game=playing]").waitFor();
  return { white, black, link };
}

test.skipIf(!canServe)("two browsers play a game by link, a third one watches", async () => {
  const { white, black, link } = await pair("own");
  await white.page.getByText("5 min + 7 s a move").waitFor();
  const watcher = await open(new URL(link).hash);
  await white.page.getByText("1 watches").waitFor();
  await expect.poll(() => watcher.page.content()).not.toContain("token");
  await play(white, "d6");
  await black.page.getByText("It is your turn.").waitFor();
  await play(black, "f4");
  await expect.poll(() => movesOf(watcher.page)).toEqual(["d6", "f4"]);
  // Only whose turn it is can move.
  await play(black, "a1");
  await play(white, "a7");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6", "f4", "a7"]);
  await expect.poll(() => white.page.locator("[data-clock=black]").innerText()).toMatch(/^[45]:\d\d$/);
  // A take-back that is declined, one that is accepted.
  await white.page.click("[data-takeback]");
  await black.page.locator("[data-offered=takeback]").getByRole("button", { name: "Accept" }).click();
  await expect.poll(() => movesOf(white.page)).toEqual(["d6", "f4"]);
  await white.page.click("[data-draw]");
  const offer = black.page.locator("[data-offered=draw]");
  for (const { page } of [white, black])
    await expect.poll(() => complaints(page, { part: "[data-people]" })).toEqual([]);
  await offer.getByRole("button", { name: "Decline" }).click();
  await offer.waitFor({ state: "detached" });
  // Refusals have words of the page's own.
  await white.page.click("[data-draw]");
  await white.page.getByText("You have offered this already. Wait for a move.").waitFor();
  await play(white, "a4");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6", "f4", "a4"]);
  await black.page.click("[data-resign]");
  await black.page.click("[data-resign]");
  for (const { page } of [white, black, watcher])
    await page.locator("[data-result]", { hasText: "White wins: Black has resigned" }).waitFor();
  // The rematch has the colours exchanged.
  await white.page.click("[data-rematch]");
  await black.page.getByText("Ann wants a rematch.").waitFor();
  await black.page.click("[data-rematch]");
  await black.page.getByText("It is your turn.").waitFor();
  await expect.poll(() => black.page.locator("[data-player=white]").innerText()).toContain("Bo");
  await play(black, "d6");
  await expect.poll(() => movesOf(white.page)).toEqual(["d6"]);
  // The first game is reviewed from its link.
  await watcher.page.click("[data-review]");
  await expect.poll(() => watcher.moves()).toEqual(["d6", "f4", "a4"]);
  expect([...white.errors, ...black.errors, ...watcher.errors]).toEqual([]);
  for (const visit of [white, black, watcher]) await visit.context.close();
});

test.skipIf(!canServe)("lost connections and a killed server lose nothing", async () => {
  const { white, black } = await pair("");
  await play(white, "d6");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6"]);
  // Black is away and comes back to what has happened since.
  await black.context.setOffline(true);
  await black.page.goto("about:blank").catch(() => {});
  await white.page.locator("[data-player=black]", { hasText: "away" }).waitFor();
  await black.context.setOffline(false);
  await black.page.goBack();
  await black.page.getByText("It is your turn.").waitFor();
  const address = new URL(served.url).host;
  await server?.kill();
  await white.page.locator("[data-lost]").waitFor();
  await black.page.locator("[data-lost]").waitFor();
  // Played while there is no server: it arrives when there is one again.
  await play(black, "f4");
  await server?.start(address);
  await expect.poll(() => movesOf(white.page)).toEqual(["d6", "f4"]);
  await play(white, "b4");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6", "f4", "b4"]);
  for (const visit of [white, black]) await visit.context.close();
});

test.skipIf(!canServe)("an open game is found in the lobby", async () => {
  const white = await open();
  await white.page.click("#tab-people");
  await white.page.locator("[data-name]").fill("Cy");
  await white.page.locator("[data-create] [type=submit]").click();
  await white.page.locator("[data-link]").waitFor();
  const black = await open();
  await black.page.click("#tab-people");
  await black.page.locator("[data-lobby] li", { hasText: "Cy" }).getByRole("button").click();
  await white.page.locator("[data-people-game=playing]").waitFor();
  for (const visit of [white, black]) await visit.context.close();
});

test("without a server nobody is offered", async () => {
  const visit = await Visit.open({ served: await serve() });
  await expect.poll(() => visit.page.locator("#tab-people").count()).toBe(0);
  await visit.close();
});

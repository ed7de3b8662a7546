import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complaints } from "./axe.js";
import { launch, quit, show, Visit } from "./browser.js";
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
const movesOf = (page: Page) => page.locator("[data-node]").allInnerTexts();
/** Waits for a status that begins with this text, case included: "It is not your turn" is not "Your turn". */
const status = (page: Page, text: string) =>
  page.locator(".status > *", { hasText: new RegExp(`^${text}`) }).waitFor();

async function play(visit: Visit, ...points: string[]): Promise<void> {
  for (const point of points) await visit.point(point).click();
}

/** Opens the lobby from any game between people. */
async function toLobby({ page }: Visit): Promise<void> {
  await show(page, "lobby");
  await page.locator("[data-people]").waitFor();
  if ((await page.locator("[data-leave]").count()) > 0) await page.click("[data-leave]");
  await page.locator("[data-create]").waitFor();
}

/** Opens a game as White; returns its link. */
async function create(visit: Visit, name: string, clock: string): Promise<string> {
  await toLobby(visit);
  const { page } = visit;
  await page.locator("[data-name]").fill(name);
  await page.locator("[data-colour]").selectOption("white");
  await page.locator("[data-clocks]").selectOption(clock);
  if (clock === "own") {
    await page.locator("[data-minutes]").fill("5");
    await page.locator("[data-seconds]").fill("7");
  }
  await page.locator("[data-create] [type=submit]").click();
  return page.locator("[data-link]").inputValue();
}

async function join(visit: Visit, link: string, name: string): Promise<void> {
  await visit.page.goto(link);
  await visit.page.locator("[data-name]").fill(name);
  await visit.page.click("[data-join]");
  await visit.page.locator("[data-people-game=playing]").waitFor();
}

/** Opens a game as White, and joins it from another browser by its link. */
async function pair(clock: string): Promise<{ white: Visit; black: Visit; link: string }> {
  const white = await open();
  const link = await create(white, "Ann", clock);
  const black = await open();
  await join(black, link, "Bo");
  await white.page.locator("[data-people-game=playing]").waitFor();
  return { white, black, link };
}

test.skipIf(!canServe)("two browsers play a game by link, a third one watches", async () => {
  const { white, black, link } = await pair("own");
  await white.page.getByText("5 min + 7 s per move").waitFor();
  const watcher = await open(new URL(link).hash);
  await white.page.getByText("1 spectator").waitFor();
  await expect.poll(() => watcher.page.content()).not.toContain("token");
  await play(white, "d6");
  await status(black.page, "Your turn");
  await play(black, "f4");
  await expect.poll(() => movesOf(watcher.page)).toEqual(["d6", "f4"]);
  // Only the side to move can move.
  await play(black, "a1");
  await play(white, "a7");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6", "f4", "a7"]);
  await expect.poll(() => white.page.locator("[data-clock=black]").innerText()).toMatch(/^[45]:\d\d$/);
  // A declined take-back, and an accepted one.
  await white.page.click("[data-takeback]");
  await black.page.locator("[data-offered=takeback]").getByRole("button", { name: "Accept" }).click();
  await expect.poll(() => movesOf(white.page)).toEqual(["d6", "f4"]);
  await white.page.click("[data-draw]");
  const offer = black.page.locator("[data-offered=draw]");
  for (const { page } of [white, black])
    await expect.poll(() => complaints(page, { part: "[data-people]" })).toEqual([]);
  await offer.getByRole("button", { name: "Decline" }).click();
  await offer.waitFor({ state: "detached" });
  // Refusals have the page's own texts.
  await white.page.click("[data-draw]");
  await white.page.getByText("You have offered this already. Wait for a move.").waitFor();
  await play(white, "a4");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6", "f4", "a4"]);
  await black.page.click("[data-resign]");
  await black.page.click("[data-resign]");
  for (const { page } of [white, black, watcher])
    await page
      .locator("[data-result]", { hasText: /(White wins|You won|You lost): Black resigned/ })
      .waitFor();
  // The rematch has the colours exchanged.
  await white.page.click("[data-rematch]");
  await black.page.getByText("Ann wants a rematch.").waitFor();
  await black.page.click("[data-rematch]");
  await status(black.page, "Your turn");
  await expect.poll(() => black.page.locator("[data-side=white]").innerText()).toContain("Bo");
  await play(black, "d6");
  await expect.poll(() => movesOf(white.page)).toEqual(["d6"]);
  // The first game is reviewed from its link.
  await watcher.page.click("[data-review]");
  await expect.poll(() => watcher.moves()).toEqual(["d6", "f4", "a4"]);
  expect([...white.errors, ...black.errors, ...watcher.errors]).toEqual([]);
  for (const visit of [white, black, watcher]) await visit.context.close();
});

test.skipIf(!canServe)("the board is that of all games", async () => {
  const { white, black } = await pair("5+3");
  const tones = () => white.page.evaluate(() => (window as unknown as { tones: number }).tones);
  await white.page.evaluate(() => {
    const heard = Object.assign(window, { tones: 0 });
    const { createOscillator } = BaseAudioContext.prototype;
    BaseAudioContext.prototype.createOscillator = function () {
      heard.tones += 1;
      return createOscillator.call(this);
    };
  });
  // The title says whose turn it is.
  await expect.poll(() => white.page.title()).toBe("Your turn · millbrain");
  await expect.poll(() => black.page.title()).toContain("Nine");
  await play(black, "a1");
  await status(black.page, "It is not your turn");
  for (const [visit, point] of [
    [white, "a7"],
    [black, "b6"],
    [white, "d7"],
    [black, "b4"],
  ] as const) {
    await status(visit.page, "Your turn");
    await play(visit, point);
  }
  // The opponent's move is announced, and heard.
  await expect.poll(() => white.page.locator("[data-live]").innerText()).toContain("Black places b4");
  await expect.poll(() => tones()).toBeGreaterThanOrEqual(8);
  // A mill requires a removal, and explains why another click removes nothing.
  await play(white, "g7");
  await status(white.page, "Mill! Take a stone");
  await play(white, "a7");
  await status(white.page, "Take a marked stone first");
  await play(white, "b6");
  await expect.poll(() => movesOf(black.page)).toEqual(["a7", "b6", "d7", "b4", "g7 ×b6"]);
  await expect.poll(() => black.page.locator("[data-side=white]").innerText()).toContain("1");
  // Black looks back while White waits, and returns by a click.
  await black.page.keyboard.press(",");
  await black.page.keyboard.press(",");
  await expect.poll(() => black.page.locator("[data-node][aria-current]").innerText()).toBe("d7");
  await play(black, "a1");
  await expect.poll(() => black.page.locator("[data-node][aria-current]").innerText()).toBe("g7 ×b6");
  await play(black, "a1");
  await expect.poll(() => movesOf(white.page)).toHaveLength(6);
  for (const { page } of [white, black])
    await expect.poll(() => complaints(page, { part: "main" })).toEqual([]);
  expect([...white.errors, ...black.errors]).toEqual([]);
  for (const visit of [white, black]) await visit.context.close();
});

/** Moves of three games, alternating between White and Black. */
const LINES = [
  ["d6", "f4", "b4", "d2"],
  ["a7", "g7", "g1", "a1"],
  ["e4", "c4", "d5", "d3"],
];

test.skipIf(!canServe)("three games at once outlast tabs, connections and servers", async () => {
  const { white, black, link } = await pair("");
  const links = [link];
  for (const clock of ["60+30", ""]) {
    const next = await create(white, "Ann", clock);
    links.push(next);
    await join(black, next, "Bo");
  }
  const rows = (visit: Visit) => visit.page.locator("[data-my-games] [data-game]");
  const row = (visit: Visit, game: number) =>
    visit.page.locator(`[data-my-games] [data-game="${(links[game] as string).slice(-12)}"]`);
  const go = async (visit: Visit, game: number) => {
    await toLobby(visit);
    await row(visit, game).locator("[data-open]").click();
    await visit.page.locator("[data-people-game=playing]").waitFor();
  };
  // All three wait for White: the tab shows it, and the lobby is reachable from each of them.
  await show(white.page, "game");
  await expect.poll(() => white.page.locator("[data-turns]").innerText()).toBe("3");
  await expect.poll(() => white.page.title()).toBe("(3) Your turn · millbrain");
  await toLobby(white);
  await expect.poll(() => rows(white).count()).toBe(3);
  await expect.poll(() => row(white, 0).innerText()).toMatch(/Bo[^]*Your turn · (29|30) days left/);
  for (const game of [0, 1, 2]) {
    await go(white, game);
    await play(white, LINES[game]![0]!);
  }
  await expect.poll(() => black.page.locator("[data-calling]").count()).toBe(2);
  // Black plays one, and the others are offered from there.
  await status(black.page, "Your turn");
  await play(black, LINES[2]![1]!);
  await status(black.page, "Waiting for Ann");
  await black.page.locator("[data-calling]").first().click();
  await status(black.page, "Your turn");
  await toLobby(black);
  await expect.poll(() => black.page.locator("[data-turns]").innerText()).toBe("2");
  // A move in another game is announced with a link to it.
  await show(white.page, "game");
  await go(black, 0);
  await play(black, LINES[0]![1]!);
  await white.page.locator("[data-offer]").click();
  await expect.poll(() => movesOf(white.page)).toEqual(LINES[0]!.slice(0, 2));
  // The tab is closed, and another one is opened without a link.
  await black.page.close();
  await white.page.locator("[data-side=black]", { hasText: "away" }).waitFor();
  const again = await black.another();
  await go(again, 1);
  const address = new URL(served.url).host;
  await server?.kill();
  for (const { page } of [white, again]) await page.locator("[data-lost]").waitFor();
  // Moves in all games without a server: they arrive when it is back.
  await play(again, LINES[1]![1]!);
  await play(white, LINES[0]![2]!);
  await expect.poll(() => movesOf(white.page)).toHaveLength(3);
  await server?.start(address);
  await expect.poll(() => row(white, 0).count()).toBe(0);
  await go(again, 0);
  await expect.poll(() => movesOf(again.page)).toEqual(LINES[0]!.slice(0, 3));
  await go(white, 1);
  await expect.poll(() => movesOf(white.page)).toEqual(LINES[1]!.slice(0, 2));
  await go(white, 2);
  await expect.poll(() => movesOf(white.page)).toEqual(LINES[2]!.slice(0, 2));
  // One is resigned: it remains among the games, with its result.
  await white.page.click("[data-resign]");
  await white.page.click("[data-resign]");
  await white.page.locator("[data-result]", { hasText: "You lost" }).waitFor();
  await toLobby(again);
  await expect.poll(() => row(again, 2).innerText()).toContain("You won");
  for (const visit of [white, again])
    // On a busy machine everything is late.
    expect(visit.errors.filter((line) => !/WebSocket|preload/.test(line))).toEqual([]);
  for (const visit of [white, black]) await visit.context.close();
});

test.skipIf(!canServe)("a prepared answer is played while its player is away", async () => {
  const { white, black } = await pair("");
  const { page } = black;
  await page.click("[data-plan]");
  for (const point of ["d6", "f4", "d2", "b4"]) await play(black, point);
  await expect.poll(() => complaints(page, { part: "main" })).toEqual([]);
  await page.click("[data-plan-save]");
  await expect.poll(() => page.locator("[data-planned]").innerText()).toContain("d6 f4 d2 b4");
  expect(await movesOf(white.page)).toEqual([]);
  await page.close();
  await white.page.locator("[data-side=black]", { hasText: "away" }).waitFor();
  for (const [point, moves] of [
    ["d6", ["d6", "f4"]],
    ["d2", ["d6", "f4", "d2", "b4"]],
  ] as const) {
    await play(white, point);
    await expect.poll(() => movesOf(white.page)).toEqual(moves);
    await status(white.page, "Your turn");
  }
  expect([...white.errors, ...black.errors]).toEqual([]);
  for (const visit of [white, black]) await visit.context.close();
});

test.skipIf(!canServe)("who agrees is notified of a turn while the page is in the background", async () => {
  const { white, black } = await pair("");
  const { page } = black;
  const notified = () => page.evaluate(() => (window as unknown as { notified: string[] }).notified);
  await page.evaluate(() => {
    const heard = Object.assign(window, { notified: [] as string[] });
    class Stub {
      static permission = "default";
      static requestPermission = async () => (Stub.permission = "granted");
      constructor(text: string) {
        heard.notified.push(text);
      }
    }
    Object.assign(window, { Notification: Stub });
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
  });
  // Nobody has agreed yet.
  await play(white, "d6");
  await status(page, "Your turn");
  await play(black, "f4");
  expect(await notified()).toEqual([]);
  await toLobby(black);
  await page.click("[data-notify]");
  await page.locator("[data-notify]").waitFor({ state: "detached" });
  await play(white, "d2");
  await expect.poll(notified).toEqual(["Your turn against Ann"]);
  expect([...white.errors, ...black.errors]).toEqual([]);
  for (const visit of [white, black]) await visit.context.close();
});

test.skipIf(!canServe)("lost connections lose nothing", async () => {
  const { white, black } = await pair("");
  await play(white, "d6");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6"]);
  // Black is away and returns to later events.
  await black.context.setOffline(true);
  await black.page.goto("about:blank").catch(() => {});
  await white.page.locator("[data-side=black]", { hasText: "away" }).waitFor();
  await black.context.setOffline(false);
  await black.page.goBack();
  await status(black.page, "Your turn");
  for (const visit of [white, black]) await visit.context.close();
});

test.skipIf(!canServe)("an invitation of a closed tab is withdrawn from another one", async () => {
  const first = await open();
  await create(first, "Ann", "");
  const withdrawn = await create(first, "Ann", "5+3");
  await first.page.close();
  const visit = await first.another();
  await toLobby(visit);
  const rows = visit.page.locator("[data-my-games] [data-game]");
  await expect.poll(() => rows.count()).toBe(2);
  await rows.last().locator("[data-withdraw]").click();
  await expect.poll(() => rows.count()).toBe(1);
  await rows.last().locator("[data-withdraw]").click();
  await expect.poll(() => rows.count()).toBe(0);
  await visit.page.getByText("You have no games").waitFor();
  const guest = await open(new URL(withdrawn).hash);
  await guest.page.getByText("This game was not played.").waitFor();
  for (const { context } of [first, guest]) await context.close();
});

test.skipIf(!canServe)("a key takes the games to another device", async () => {
  const { white, black } = await pair("");
  await toLobby(white);
  await white.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await white.page.locator("[data-keys] summary").click();
  await white.page.click("[data-copy-key]");
  const key = await white.page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  const other = await open();
  await toLobby(other);
  await other.page.locator("[data-keys] summary").click();
  await other.page.locator("[data-key]").fill("nonsense");
  await other.page.locator("[data-keys] [type=submit]").click();
  await other.page.locator(".toast", { hasText: "This is not a key" }).waitFor();
  await other.page.locator("[data-key]").fill(` ${key}\n`);
  await other.page.locator("[data-keys] [type=submit]").click();
  await other.page.locator("[data-my-games] [data-open]").first().click();
  await status(other.page, "Your turn");
  await play(other, "d6");
  await expect.poll(() => movesOf(black.page)).toEqual(["d6"]);
  for (const visit of [white, black, other]) await visit.context.close();
});

test.skipIf(!canServe)("an open game is found in the lobby", async () => {
  const white = await open();
  await show(white.page, "lobby");
  await white.page.locator("[data-name]").fill("Cy");
  await white.page.locator("[data-create] [type=submit]").click();
  await white.page.locator("[data-link]").waitFor();
  const black = await open();
  await show(black.page, "lobby");
  await black.page.locator("[data-lobby] li", { hasText: "Cy" }).getByRole("button").click();
  await white.page.locator("[data-people-game=playing]").waitFor();
  for (const visit of [white, black]) await visit.context.close();
});

test("without a server nobody is offered", async () => {
  const visit = await Visit.open({ served: await serve() });
  await expect.poll(() => visit.page.locator("[data-part=lobby]").count()).toBe(0);
  await visit.close();
});

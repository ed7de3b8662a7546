import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";
import { Mock, MOVES } from "./mock.js";

beforeAll(launch);
afterAll(quit);

test("a server knows the values that the engine does not", async () => {
  const mock = new Mock({ name: "millbrain", version: "0.1.0" });
  const visit = await Visit.open({
    handler: mock.handler,
    settings: { tables: true },
    hash: "#v=morris&o=Stones=7",
  });
  const { page } = visit;
  await show(page, "analysis");
  // Of 24 moves four are different up to symmetry; the server's values of each are on the board too.
  await expect.poll(() => page.locator("[data-openings] .won").count()).toBeGreaterThan(0);
  await expect.poll(() => page.locator("[data-openings] [data-move]").count()).toBe(4);
  await expect.poll(() => page.locator("g.badge").count()).toBe(24);
  expect(mock.probed[0]).toBe("Stones=7");
  await visit.play("d6");
  await page.getByText("This position is not in the tables.").waitFor();
  await expect.poll(() => page.locator("[data-openings] .won").count()).toBe(0);
  expect(mock.probed.length).toBeGreaterThan(1);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("what was played in the games of the archive is shown, and played by a click", async () => {
  const mock = new Mock({ name: "millbrain", archive: true });
  const visit = await Visit.open({ handler: mock.handler, levels: { black: 2 } });
  const { page } = visit;
  await show(page, "analysis");
  await page.getByText("4 games in the archive reached this position.").waitFor();
  const asked = mock.asked.find((asked) => asked.includes("api/openings"));
  expect(asked).toContain("variant=morris&rules=&fen=3%2F3%2F3%2F6%2F3%2F3%2F3+w+9+9");
  // The four points in the middle of a side of the middle square are symmetric.
  const first = page.locator("[data-openings] [data-move]").first();
  await expect
    .poll(async () => (await first.innerText()).replace(/\s+/g, " "))
    .toMatch(/^[dfb][246] ×4 drawn 3 2 \/ 1 \/ 0$/);
  const move = (await first.getAttribute("data-move")) as string;
  await first.getByRole("button").click();
  await expect.poll(() => visit.moves()).toEqual([move]);
  // It is only explored: the computer does not reply, and only the position is analysed.
  mock.opening = "a1";
  await expect.poll(() => mock.asked.filter((asked) => asked.includes("api/openings")).length).toBe(2);
  await expect.poll(() => visit.moves()).toEqual([move]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("the archive of a server is searched, opened, annotated, added to and thinned", async () => {
  const mock = new Mock({
    name: "millbrain",
    version: "0.1.0",
    engine: { threads: 1, hash: 16 },
    deletes: true,
    live: false,
  });
  const visit = await Visit.open({ handler: mock.handler });
  const { page } = visit;
  await show(page, "archive");
  await expect.poll(() => page.locator("[data-part=live]").count()).toBe(0);
  await expect.poll(() => page.locator("[data-archive] li").count()).toBe(2);
  await page.getByLabel("Player").fill("Anna");
  await page.getByRole("button", { name: "Search" }).click();
  await expect.poll(() => page.locator("[data-archive] li").count()).toBe(1);
  await page.getByRole("button", { name: "Annotate: 1" }).click();
  // Waits for the end of the annotation: a later request would find no game.
  await page.getByText("· annotated").waitFor();
  await page.locator("[data-archive] .open").click();
  await expect.poll(() => visit.moves()).toEqual(MOVES);
  await expect.poll(() => page.locator("[data-mistakes] li").innerText()).toContain("Better: d6");
  await show(page, "archive");
  await page.getByRole("button", { name: "Save to the archive" }).click();
  await expect.poll(() => mock.saved.length).toBe(1);
  expect(mock.saved[0]?.record).toContain('[Variant "morris"]');
  // A game in progress has no winner, and is no draw.
  expect(mock.saved[0]?.record).toContain('[Result "*"]');
  expect(mock.saved[0]?.record).toContain('[White "Anna"]\n[Black "Bob"]');
  expect(mock.saved[0]?.key).toMatch(/^[0-9a-f]{24}-[0-9a-f]+$/);
  await expect.poll(() => page.getByRole("button", { name: "Delete: 1" }).count()).toBe(0);
  await page.getByLabel("Owner password").fill("guessed");
  await page.getByRole("button", { name: "Delete: 1" }).click();
  await page.getByText("wrong secret").waitFor();
  expect(mock.games.length).toBe(2);
  await page.getByLabel("Owner password").fill("open sesame");
  await page.getByRole("button", { name: "Delete: 1" }).click();
  await expect.poll(() => mock.games.length).toBe(1);
  expect(visit.errors.filter((line) => !line.includes("401"))).toEqual([]);
  await visit.close();
});

test("a running match is followed", async () => {
  const mock = new Mock({ name: "millbrain", live: true });
  const visit = await Visit.open({ handler: mock.handler });
  const { page } = visit;
  await show(page, "live");
  await page.waitForSelector('[data-live-view] [data-piece="d6"]');
  await expect.poll(() => page.locator("[data-live-view]").innerText()).toContain("1:01.5");
  mock.send("move", { number: 4, ply: 2, move: "f4", clocks: { white: 61_500, black: 60_000 }, last: {} });
  await page.waitForSelector('[data-live-view] [data-piece="f4"]');
  await expect.poll(() => page.locator("[data-live-view] table").innerText()).toContain("new");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a server with more threads searches for the page, and may go away", async () => {
  const mock = new Mock({ name: "millbrain", engine: { threads: 2, hash: 64 }, live: false });
  const visit = await Visit.open({ handler: mock.handler });
  const { page } = visit;
  const cli = join(dirname(createRequire(import.meta.url).resolve("millbrain/package.json")), "dist/cli.js");
  const engines: ChildProcess[] = [];
  const heard: string[] = [];
  let close = () => {};
  // The package's own program acts as the server's engine.
  await page.routeWebSocket(/\/engine$/, (socket) => {
    const engine = spawn(process.execPath, [cli], { stdio: ["pipe", "pipe", "inherit"] });
    engines.push(engine);
    close = () => void socket.close({ code: 1001, reason: "the server is going" });
    socket.onMessage((line) => {
      heard.push(String(line));
      engine.stdin?.write(`${String(line)}\n`);
    });
    let rest = "";
    engine.stdout?.on("data", (part) => {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) socket.send(line);
    });
  });
  await page.reload();
  await visit.ready();
  await visit.tool("Best move");
  await visit.reached(1);
  expect(heard).toContain("setoption name Threads value 2");
  // The connection breaks; the next request opens a new one.
  const before = engines.length;
  close();
  await visit.tool("Best move");
  await visit.reached(2);
  expect(engines.length).toBeGreaterThan(before);
  // The user may prefer the browser.
  await show(page, "settings");
  await page.getByLabel("Engine").selectOption("browser");
  const count = heard.filter((line) => line.startsWith("go")).length;
  await visit.tool("Best move");
  await visit.reached(3);
  expect(heard.filter((line) => line.startsWith("go")).length).toBe(count);
  for (const engine of engines) engine.kill();
  await visit.close();
});

import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ServerResponse } from "node:http";
import { AxeBuilder } from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { lineOf } from "../src/game/text.js";
import { launch, quit, Visit } from "./browser.js";
import type { Handler } from "./serve.js";

beforeAll(launch);
beforeAll(() => loadRules());
afterAll(quit);

const MOVES = ["a7", "d2", "d7", "d1", "g7xd1", "b4"];
const record = () =>
  rules().writeGame(
    {
      variant: "morris",
      white: "Anna",
      black: "Bob",
      nodes: lineOf(MOVES.map((move) => ({ move }))),
    },
    "record",
  );

/** A server with two games, as `millbrain serve` answers; some fields are missing on purpose. */
class Mock {
  readonly asked: string[] = [];
  readonly saved: { key: string; record: string }[] = [];
  readonly streams = new Set<ServerResponse>();
  games: { id: string; white?: string; black?: string; variant: string; annotated?: boolean }[] = [
    { id: "1", white: "Anna", black: "Bob", variant: "morris", annotated: false },
    { id: "2", variant: "smess" },
  ];
  constructor(readonly info: object) {}

  readonly handler: Handler = async (request, response, path) => {
    if (!path.startsWith("api/")) return false;
    this.asked.push(`${request.method} ${request.url?.split("/").slice(3).join("/")}`);
    const json = (data: unknown, status = 200) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(data));
      return true;
    };
    const [, , id, action] = path.split("/");
    if (path === "api/info") return json(this.info);
    if (path === "api/live") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      this.streams.add(response);
      this.tell(["d6"]);
      return true;
    }
    if (path === "api/tablebase") {
      const { searchParams } = new URL(request.url ?? "", "http://x");
      const state = rules().state({ variant: "morris" }, { fen: searchParams.get("fen") ?? "" });
      const legal = state.moves.map(({ text }) => text);
      if (legal.length < 24) return json({ error: "no table has this position" }, 404);
      const moves = legal.map((move, i) => ({
        move,
        ...(i < 3 ? { value: "win", plies: 9 } : { value: "draw" }),
      }));
      return json({ value: "win", plies: 9, moves });
    }
    if (path === "api/games" && request.method === "POST") {
      let body = "";
      for await (const part of request) body += String(part);
      this.saved.push(JSON.parse(body));
      return json({ id: "3" });
    }
    if (path === "api/games") {
      const player = new URL(request.url ?? "", "http://x").searchParams.get("player");
      return json({ games: this.games.filter(({ white }) => !player || white === player) });
    }
    const game = this.games.find((game) => game.id === id);
    if (!game) return json("no such game", 404);
    if (action === "annotate") {
      game.annotated = true;
      return json({}, 202);
    }
    if (request.method === "DELETE") {
      if (request.headers.authorization !== "Bearer open sesame") return json("wrong secret", 401);
      this.games = this.games.filter((other) => other !== game);
      response.writeHead(204).end();
      return true;
    }
    const plies = MOVES.map((played, i) => ({
      ply: i + 1,
      played,
      best: "d6",
      score: { cp: 20 },
      loss: i === 1 ? 140 : 0,
      mark: i === 1 ? "??" : "",
    }));
    return json({
      ...game,
      record: record(),
      moves: MOVES,
      start: "3/3/3/6/3/3/3 w 9 9 0 1",
      annotation: game.annotated ? { nodes: 1000, plies } : null,
    });
  };

  tell(moves: string[]): void {
    const state = {
      games: [
        {
          number: 4,
          white: "new",
          black: "old",
          variant: "morris",
          moves,
          clocks: { white: 61_500, black: null },
          last: { white: { score: { cp: 10 }, depth: 7 }, black: null },
        },
      ],
      standings: { engines: [{ name: "new", games: 3, wins: 2, draws: 1, losses: 0 }] },
    };
    this.send("state", state);
  }

  send(event: string, data: unknown): void {
    for (const stream of this.streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

test("a server knows the values that the engine does not", async () => {
  const mock = new Mock({ name: "millbrain", version: "0.1.0" });
  const visit = await Visit.open({
    handler: mock.handler,
    settings: { tables: true },
    hash: "#v=morris&o=Stones=7",
  });
  const { page } = visit;
  await page.click("#tab-analysis");
  await expect.poll(() => page.locator("[data-values] .value").count()).toBe(24);
  expect(await page.locator("[data-values] .won").count()).toBe(3);
  expect(mock.asked.filter((asked) => asked.includes("tablebase"))[0]).toContain("Stones");
  await visit.play("d6");
  await expect.poll(() => page.locator("[data-values]").count()).toBe(0);
  expect(visit.errors.filter((line) => !line.includes("404"))).toEqual([]);
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
  expect(await page.locator("#tab-live").count()).toBe(0);
  await page.click("#tab-archive");
  await expect.poll(() => page.locator("[data-archive] li").count()).toBe(2);
  await page.getByLabel("Player").fill("Anna");
  await page.getByRole("button", { name: "Search" }).click();
  await expect.poll(() => page.locator("[data-archive] li").count()).toBe(1);
  await page.getByRole("button", { name: "Annotate: 1" }).click();
  await page.getByText("annotated").waitFor();
  await page.locator("[data-archive] .open").click();
  await expect.poll(() => visit.moves()).toEqual(MOVES);
  expect(await page.locator("[data-mistakes] li").innerText()).toContain("Better: d6");
  await page.click("#tab-archive");
  await page.getByRole("button", { name: "Save to the archive" }).click();
  await expect.poll(() => mock.saved.length).toBe(1);
  expect(mock.saved[0]?.record).toContain('[Variant "morris"]');
  expect(mock.saved[0]?.key).toMatch(/^[0-9a-f]{24}-[0-9a-f]+$/);
  expect(await page.getByRole("button", { name: "Delete: 1" }).count()).toBe(0);
  await page.getByLabel("Secret of the owner").fill("guessed");
  await page.getByRole("button", { name: "Delete: 1" }).click();
  await page.getByText("wrong secret").waitFor();
  expect(mock.games.length).toBe(2);
  await page.getByLabel("Secret of the owner").fill("open sesame");
  await page.getByRole("button", { name: "Delete: 1" }).click();
  await expect.poll(() => mock.games.length).toBe(1);
  expect(visit.errors.filter((line) => !line.includes("401"))).toEqual([]);
  await visit.close();
});

test("a running match is followed", async () => {
  const mock = new Mock({ name: "millbrain", live: true });
  const visit = await Visit.open({ handler: mock.handler });
  const { page } = visit;
  await page.click("#tab-live");
  await page.waitForSelector('[data-live-view] [data-piece="d6"]');
  expect(await page.locator("[data-live-view]").innerText()).toContain("1:01.5");
  mock.send("move", { number: 4, ply: 2, move: "f4", clocks: { white: 61_500, black: 60_000 }, last: {} });
  await page.waitForSelector('[data-live-view] [data-piece="f4"]');
  expect(await page.locator("[data-live-view] table").innerText()).toContain("new");
  for (const tab of ["live", "archive"]) {
    await page.click(`#tab-${tab}`);
    const { violations } = await new AxeBuilder({ page } as never).analyze();
    expect(violations.map(({ id, nodes }) => `${tab}: ${id} ${nodes[0]?.html}`)).toEqual([]);
  }
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a server with more threads searches for the page, and may go away", async () => {
  const mock = new Mock({ name: "millbrain", engine: { threads: 2, hash: 64 }, live: false });
  const visit = await Visit.open({ handler: mock.handler, settings: { bar: false } });
  const { page } = visit;
  const cli = join(dirname(createRequire(import.meta.url).resolve("millbrain/package.json")), "dist/cli.js");
  const engines: ChildProcess[] = [];
  const heard: string[] = [];
  let close = () => {};
  // The package's own program stands for the server's engine.
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
  // The connection breaks; the next question makes a new one.
  const before = engines.length;
  close();
  await visit.tool("Best move");
  await visit.reached(2);
  expect(engines.length).toBeGreaterThan(before);
  // The user may prefer the browser.
  await page.click("#tab-analysis");
  await page.getByLabel("Engine").selectOption("browser");
  const count = heard.filter((line) => line.startsWith("go")).length;
  await visit.tool("Best move");
  await visit.reached(3);
  expect(heard.filter((line) => line.startsWith("go")).length).toBe(count);
  for (const engine of engines) engine.kill();
  await visit.close();
});

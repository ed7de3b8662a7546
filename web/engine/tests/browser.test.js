// The package in a real browser, without a bundler: where the browser suspends the module, and where the module has to
// put its own stack aside.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const TYPES = { js: "text/javascript", html: "text/html", wasm: "application/wasm" };
const requested = [];
/** What is put before the code of the worker. */
let prefix = "";
/** Sent with every file: what isolates a page, or nothing. */
let headers = {};
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
let server;
let origin;

before(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url, "http://local").pathname;
    requested.push(path);
    try {
      let body = path === "/" ? "<!doctype html><title>engine</title>" : readFileSync(`${root}${path}`);
      if (path.endsWith("/worker.js")) body = prefix + body;
      response.writeHead(200, { ...headers, "Content-Type": path === "/" ? TYPES.html : TYPES[path.split(".").at(-1)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}/`;
});
after(() => server.close());

/** Runs in the page. */
async function visit(threads) {
  const { Engine, Rules } = await import("/dist/index.js");
  const times = {};
  let begun = performance.now();
  await caches.open("millbrain-0123456789ab");
  const rules = await Rules.create();
  times.rules = performance.now() - begun;
  begun = performance.now();
  const engine = await Engine.create({ threads, options: { Threads: 1 } });
  times.engine = performance.now() - begun;
  const morris = { variant: "morris" };
  const searched = await engine.bestMove(morris, {}, { depth: 10 });
  const most = engine.options.find(({ name }) => name === "Threads").max;
  await engine.setOptions({ Threads: most });
  const stops = [];
  for (let i = 0; i < 5; i++) {
    const analysis = engine.analyse(morris, {}, {});
    for await (const line of analysis) if (line.depth >= 8) break;
    const asked = performance.now();
    await analysis.stop();
    stops.push(performance.now() - asked);
  }
  // A search that is done waits for its stop, and other lines are answered meanwhile.
  const smess = engine.analyse({ variant: "smess" }, {}, { searchmoves: ["f2g1"], nodes: 500 });
  const last = await smess.result;
  const shown = await engine.command("d", morris, { moves: ["d6"] });
  // A pack comes when nobody waits for it.
  const isKept = () => caches.match("/data/packs/morris.pack");
  for (let i = 0; i < 500 && !(await isKept()); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  engine.close();
  return {
    times,
    stops,
    most,
    moves: rules.state(morris).moves.length,
    nodes: searched.lines[0].nodes,
    nps: searched.lines[0].nps,
    last: last.move,
    board: shown.some((line) => line === "Fen: 3/1O1/3/6/3/3/3 b 8 9 0 1"),
    kept: (await (await caches.open((await caches.keys())[0])).keys()).length,
    caches: (await caches.keys()).length,
  };
}

for (const { name, file, before = "", isolation = {}, threads = 1 } of [
  { name: "a browser that suspends modules", file: "/data/millbrain.wasm" },
  { name: "a browser that does not", file: "/data/millbrain-asyncify.wasm", before: "delete WebAssembly.Suspending;" },
  { name: "an isolated page has threads", file: "/data/millbrain-threads.wasm", isolation: ISOLATED, threads: 2 },
]) {
  test(name, async (t) => {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    try {
      requested.length = 0;
      prefix = before;
      headers = isolation;
      const page = await browser.newPage();
      await page.goto(origin);
      const seen = await page.evaluate(visit, threads);
      t.diagnostic(JSON.stringify(seen));
      assert.ok(requested.includes(file), `${file} among ${requested.join(" ")}`);
      assert.equal(seen.moves, 24);
      assert.equal(seen.most, threads);
      assert.equal(seen.last, "f2g1");
      // Each file once, and no tables: there are too many men.
      const data = requested.filter((path) => path.startsWith("/data/")).sort();
      const named = ["rules.wasm", "games.wasm", "morris.net", "packs/morris.pack", "smess.net"];
      const wanted = new Set([file, ...named.map((name) => `/data/${name}`)]);
      assert.deepEqual(data, [...wanted].sort());
      assert.ok(seen.board && seen.nodes > 1000 && seen.kept === wanted.size && seen.caches === 1, JSON.stringify(seen));
    } finally {
      await browser.close();
    }
  });
}

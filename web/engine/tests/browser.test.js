// The package in a real browser, without a bundler: with modules suspended by the browser, and with a module that
// unwinds its own stack.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const TYPES = { js: "text/javascript", html: "text/html", wasm: "application/wasm" };
const requested = [];
/** Bytes of the pack after which the server pauses, until the page has enough of it for a cut connection. */
const CUT = 700_000;
const SEEN = 500_000;
const PACK = "/data/packs/morris.pack";
let cut = () => {};
/** Offsets at which the page has resumed it. */
let resumedAt = [];
/** Prefix of the worker's code. */
let prefix = "";
/** Headers of every file: those that isolate a page, or none. */
let headers = {};
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
let server;
let origin;

/** Sends the pack: a part, or the rest. */
function sendPack(request, response, body) {
  const at = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  if (at === 0) {
    response.writeHead(200, { ...headers, "Content-Length": body.length });
    response.write(body.subarray(0, CUT));
    cut = () => response.socket?.end();
    return;
  }
  resumedAt.push(at);
  response.writeHead(206, { ...headers, "Content-Range": `bytes ${at}-${body.length - 1}/${body.length}` });
  response.end(body.subarray(at));
}

before(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url, "http://local").pathname;
    requested.push(path);
    if (path === "/cut") cut();
    try {
      let body = path === "/" ? "<!doctype html><title>engine</title>" : readFileSync(`${root}${path}`);
      if (path.endsWith("/worker.js")) body = prefix + body;
      if (path === PACK) return sendPack(request, response, body);
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
async function visit([threads, SEEN]) {
  const { Engine, Rules } = await import("/dist/index.js");
  const times = {};
  let begun = performance.now();
  await caches.open("millbrain-0123456789ab");
  const rules = await Rules.create();
  times.rules = performance.now() - begun;
  begun = performance.now();
  const reported = [];
  const onDownload = (download) => {
    reported.push(download);
    if (download.file.endsWith(".pack") && download.received >= SEEN) fetch("/cut");
  };
  const engine = await Engine.create({ threads, options: { Threads: 1 }, onDownload });
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
  // A finished search waits for its stop, and other lines are answered in the meantime.
  const smess = engine.analyse({ variant: "smess" }, {}, { searchmoves: ["f2g1"], nodes: 500 });
  const last = await smess.result;
  const shown = await engine.command("d", morris, { moves: ["d6"] });
  // A pack arrives while the engine is idle.
  const isKept = () => caches.match("/data/packs/morris.pack");
  const isReported = () => reported.some(({ file, isOver }) => isOver && file === "packs/morris.pack");
  for (let i = 0; i < 500 && !((await isKept()) && isReported()); i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  engine.close();
  return {
    reported,
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

/** Runs in the page: pieces of tables are stored in slots, as long as the database is there, and else in memory. */
async function store() {
  const { Pieces } = await import("/dist/files/pieces.js");
  const SLOTS = 1 << 17;
  const piece = (address, number) => ({ address, number, tag: "", total: 1e9, bytes: new Uint8Array(1024).fill(number) });
  const numbers = async (pieces, address, ...numbers) => {
    const found = await pieces.read(address, numbers);
    if (found.some(({ number, bytes }) => bytes.length !== 1024 || bytes[5] !== number % 256)) return "other bytes";
    return found.map(({ number }) => number);
  };
  const first = new Pieces();
  await first.write([piece("a", 1), piece("a", 2), piece("b", 3)]);
  await first.write([piece("a", SLOTS + 3)]);
  // The last ones are only in the database: one slot has another address, the other another number.
  const later = new Pieces();
  const stored = [await numbers(later, "a", 1, 2, 3, 4, SLOTS + 3, SLOTS + 1), await numbers(later, "b", 1, 3)];
  await new Promise((resolve) => (indexedDB.deleteDatabase("millbrain-tables").onsuccess = resolve));
  await later.write([piece("a", 7)]);
  return [...stored, await numbers(later, "a", 1, 7), await numbers(first, "b", 3)];
}

test("pieces of tables are stored in a browser", async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    assert.deepEqual(await page.evaluate(store), [[1, 2, 131_075], [], [7], [3]]);
  } finally {
    await browser.close();
  }
});

for (const { name, file, before = "", isolation = {}, threads = 1 } of [
  { name: "a browser that suspends modules", file: "/data/millbrain.wasm" },
  { name: "a browser that does not", file: "/data/millbrain-asyncify.wasm", before: "delete WebAssembly.Suspending;" },
  { name: "an isolated page has threads", file: "/data/millbrain-threads.wasm", isolation: ISOLATED, threads: 2 },
]) {
  test(name, async (t) => {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    try {
      requested.length = 0;
      resumedAt = [];
      prefix = before;
      headers = isolation;
      const page = await browser.newPage();
      await page.goto(origin);
      const seen = await page.evaluate(visit, [threads, SEEN]);
      t.diagnostic(JSON.stringify({ ...seen, reported: seen.reported.length }));
      assert.ok(requested.includes(file), `${file} among ${requested.join(" ")}`);
      assert.equal(seen.moves, 24);
      assert.equal(seen.most, threads);
      assert.equal(seen.last, "f2g1");
      // Each file once, and no tables: there are too many men.
      const data = requested.filter((path) => path.startsWith("/data/")).sort();
      const named = ["rules.wasm", "games.wasm", "morris.net", "packs/morris.pack", "smess.net"];
      const wanted = new Set([file, ...named.map((name) => `/data/${name}`)]);
      assert.deepEqual(data, [...wanted, PACK].sort());
      assert.ok(seen.board && seen.nodes > 1000 && seen.kept === wanted.size && seen.caches === 1, JSON.stringify(seen));
      // The pack arrives in two parts, and the worker's downloads are reported to their end.
      assert.ok(resumedAt.length === 1 && resumedAt[0] >= SEEN && resumedAt[0] <= CUT, `${resumedAt}`);
      const files = [file.replace("/data/", ""), "morris.net", "packs/morris.pack", "smess.net"];
      assert.deepEqual([...new Set(seen.reported.map(({ file }) => file))].sort(), files.sort());
      for (const name of files) {
        const reported = seen.reported.filter((download) => download.file === name);
        const { length } = readFileSync(`${root}/data/${name}`);
        assert.deepEqual(reported.at(-1), { file: name, received: length, total: length, isOver: true });
        const before = (i) => reported[i - 1]?.received ?? 0;
        assert.ok(reported.every(({ received, total }, i) => total === length && received >= before(i)));
      }
    } finally {
      await browser.close();
    }
  });
}

// Tables on hosts: parts arrive in rounds, from hosts of every kind, and never of two versions of a file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { Engine } from "millbrain";
import { drive, Mailbox } from "../dist/driver.js";
import { Pieces } from "../dist/files/pieces.js";
import { RangedFile } from "../dist/files/ranges.js";
import { TableSupply } from "../dist/files/tables.js";

/** The native program, which makes a table; scripts/web names it. */
const NATIVE = process.env.MILLBRAIN;

/** Returns a file that states its length as a compact table does. */
function made(seed, length) {
  const bytes = Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8) * 7 + seed) % 256));
  bytes.writeBigUInt64LE(BigInt(length), 24);
  return bytes;
}
const FILE = made(1, 300_007);
const OTHER = made(2, 200_009);

let server;
let url;
/** Ranges asked for. */
const asked = [];
/** The server's behaviour for each request in order, and then for all others. */
let plans = [];
let atLast = {};

function answer(request, response) {
  const { range, ...headers } = request.headers;
  // Others make a browser ask the host for permission first.
  assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith("if-")), []);
  asked.push(range);
  const { file = FILE, tag = `"${file.length}"`, status, ...plan } = plans.shift() ?? atLast;
  if (plan.hangs) return;
  if (status !== undefined) return response.writeHead(status).end();
  const [from, to] = range.slice("bytes=".length).split("-").map(Number);
  if (from >= file.length) return response.writeHead(416, { "Content-Range": `bytes */${file.length}` }).end();
  const sent = {
    ...(tag && { ETag: tag }),
    ...(plan.date && { "Last-Modified": plan.date }),
    ...(plan.packed && { "Content-Encoding": plan.packed }),
    ...(!plan.hides && { "Content-Range": plan.range ?? `bytes ${from}-${Math.min(to, file.length - 1)}/${file.length}` }),
  };
  const body = plan.ignores ? file : file.subarray(from, to + 1);
  response.writeHead(plan.ignores ? 200 : 206, { ...sent, "Content-Length": body.length });
  if (!plan.cut) return response.end(body);
  response.write(body.subarray(0, plan.cut), () => response.socket?.end());
}

before(async () => {
  server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/morris.mbt`;
});
after(() => (server.closeAllConnections(), server.close()));
beforeEach(() => {
  asked.length = 0;
  [plans, atLast] = [[], {}];
});

/** Returns an engine that wants these ranges, each round of them when the one before has arrived; and what it heard. */
function wanting(...rounds) {
  const heard = [];
  let got = 0;
  let isLacking = false;
  const engine = {
    wanted: () => {
      const round = isLacking ? undefined : rounds[got];
      return (round ?? []).map(([from, length]) => ({ address: url, from, length }));
    },
    supply: (address, from, total, bytes) => {
      assert.equal(address, url);
      const file = [FILE, OTHER].find(({ length }) => length === total);
      const length = rounds[got].find((range) => range[0] === from)[1];
      assert.ok(file.subarray(from, from + length).equals(bytes), `bytes from ${from} on`);
      heard.push(from);
      if (from === rounds[got].at(-1)[0]) got += 1;
      return "";
    },
    lack: (address, reason) => {
      heard.push(reason);
      isLacking = true;
    },
    renew: () => {
      heard.push("renew");
      got = 0;
    },
  };
  return { engine, heard };
}
const ROUNDS = [[[0, 65_536]], [[102_400, 2048], [199_680, 1024]], [[110_592, 1024], [150_528, 4096]]];
const ALL = ROUNDS.flat().map(([from]) => from);
const NEVER = new Promise(() => {});

test("parts arrive in rounds, each range in one request, and are stored", async () => {
  const { engine, heard } = wanting(...ROUNDS);
  const readings = [];
  const tables = new TableSupply(engine, (reading) => readings.push(reading));
  await tables.supply(true, NEVER);
  assert.deepEqual(heard, ALL);
  assert.equal(asked[0], "bytes=0-65535");
  assert.deepEqual(asked.slice(1).sort(), [
    "bytes=102400-104447",
    "bytes=110592-111615",
    "bytes=150528-154623",
    "bytes=199680-200703",
  ]);
  const received = ROUNDS.flat().reduce((sum, [, length]) => sum + length, 0);
  const sum = (of) => readings.reduce((sum, reading) => sum + of(reading), 0);
  assert.deepEqual([sum(({ requests }) => requests), sum((reading) => reading.received)], [5, received]);
  assert.ok(readings.every(({ address }) => address === url));
  // An end that is no whole piece, and a range with a stored piece in it.
  const pieces = new Pieces();
  const file = new RangedFile(url, pieces);
  const end = 293 * 1024 - 1024;
  await file.read([[2048, 1024], [end, 1031]].map(([from, length]) => ({ from, length })));
  const [part, last] = await file.read([{ from: 0, length: 4096 }, { from: end, length: 8192 }]);
  assert.ok(FILE.subarray(0, 4096).equals(part.bytes) && FILE.subarray(end).equals(last.bytes));
  assert.deepEqual(asked.slice(-1), ["bytes=0-4095"]);
  // Ranges near to each other are one request, and the pieces between them are stored, too.
  await file.read([{ from: 20_480, length: 1024 }, { from: 51_200, length: 1024 }, { from: 102_400, length: 1024 }]);
  assert.deepEqual(asked.slice(-2).sort(), ["bytes=102400-103423", "bytes=20480-52223"]);
  await file.read([{ from: 30_720, length: 2048 }]);
  // Another reader of the same pieces needs no request.
  await new RangedFile(url, pieces).read([{ from: 0, length: 4096 }]);
  assert.equal(asked.length, 10);
});

test("hosts may show a tag, a date, or neither, and hide the length", async () => {
  for (const plan of [{ tag: 'W/"a"' }, { tag: "", date: "Sat, 28 Nov 2026 00:00:00 GMT" }, { tag: "" }, { tag: "", hides: true }]) {
    atLast = plan;
    const { engine, heard } = wanting(...ROUNDS);
    await new TableSupply(engine).supply(true, NEVER);
    assert.deepEqual(heard, ALL, JSON.stringify(plan));
  }
  // A file that ends within the first range.
  atLast = { tag: "", hides: true, file: made(3, 1500) };
  const [part] = await new RangedFile(url, new Pieces()).read([{ from: 0, length: 65_536 }]);
  assert.deepEqual([part.total, part.bytes.length], [1500, 1500]);
});

test("a replaced file is read from its beginning again, once", async () => {
  const { engine, heard } = wanting(...ROUNDS);
  const tables = new TableSupply(engine);
  // One of two answers is of the other version.
  plans = [{}, {}, { file: OTHER }, ...Array(9).fill({ file: OTHER })];
  await tables.supply(true, NEVER);
  assert.deepEqual(heard, [0, "renew", ...ALL]);
  // The same length and another tag; a shorter file, which ends before the range.
  for (const plan of [{ tag: '"x"' }, { file: made(1, 4096) }]) {
    const other = wanting(...ROUNDS);
    [plans, atLast] = [[{}], plan];
    if (plan.file) [plans, atLast] = [[{}, plan, plan], {}];
    await new TableSupply(other.engine).supply(true, NEVER);
    assert.deepEqual(other.heard, [0, "renew", ...ALL]);
  }
});

test("a file that changes again and again is a fault", async () => {
  const { engine, heard } = wanting(...ROUNDS);
  plans = Array.from({ length: 9 }, (_, i) => ({ tag: `"${i}"` }));
  await new TableSupply(engine).supply(true, NEVER);
  assert.deepEqual(heard, [0, "renew", 0, "renew", "the file was replaced again and again, expected one"]);
});

test("what is no part of the file is a fault with its reason", async () => {
  const faults = [
    [{ status: 404 }, /^404 Not Found$/],
    [{ status: 503 }, /^503 /],
    [{ ignores: true }, /^the host sends the whole file, expected a part of it/],
    [{ range: "bytes 5-9/300007" }, /^the host sends the range bytes 5-9\/300007, expected it from 0 on/],
    [{ range: "bytes 0-9/*" }, /expected it from 0 on/],
    [{ range: "bytes 0-65535/400000", file: made(1, 4096) }, /^4096 bytes from 0 on of 400000, expected 65536/],
    [{ packed: "x" }, /^the host packs the file \(x\)/],
    [{ cut: 100 }, /./],
    [{ hides: true, file: made(1, 70_000).fill(0) }, /^65536 bytes from 0 on of 0, expected 65536/],
  ];
  for (const [plan, reason] of faults) {
    const { engine, heard } = wanting(...ROUNDS);
    plans = [plan];
    await new TableSupply(engine).supply(true, NEVER);
    assert.equal(heard.length, 1, JSON.stringify(plan));
    assert.match(heard[0], reason);
  }
  plans = [{ hangs: true }];
  const silent = new RangedFile(url, new Pieces(), 20).read([{ from: 0, length: 1024 }]);
  await assert.rejects(silent, /^Error: no answer for 0.02 s$/);
  const nobody = new RangedFile("http://127.0.0.1:1/morris.mbt", new Pieces()).read([{ from: 0, length: 1024 }]);
  await assert.rejects(nobody, /./);
});

test("parts that are refused, or do not help, are not asked for without end", async () => {
  const heard = [];
  const engine = {
    wanted: () => (heard.length === 0 ? [{ address: url, from: 0, length: 1024 }] : []),
    supply: () => "damaged",
    lack: (_, reason) => heard.push(reason),
  };
  await new TableSupply(engine).supply(true, NEVER);
  assert.deepEqual(heard.splice(0), ["damaged"]);
  engine.supply = () => "";
  await new TableSupply(engine).supply(true, NEVER);
  assert.deepEqual(heard, ["the parts are not those that were wanted"]);
});

test("what arrives too late is stored for the next supply, and its faults are reported then", async () => {
  const late = async (plan, ...rounds) => {
    const { engine, heard } = wanting(...rounds);
    let hear;
    const tables = new TableSupply(engine, () => hear?.());
    const arrived = new Promise((resolve) => (hear = resolve));
    asked.length = 0;
    plans = [plan];
    await tables.supply(true, Promise.resolve());
    await arrived;
    assert.deepEqual([heard.splice(0), asked.length], [[], 1]);
    await tables.supply(true, NEVER);
    return heard;
  };
  assert.deepEqual(await late({}, [[0, 1024]], [[1024, 1024]]), [0, 1024]);
  assert.deepEqual(asked, ["bytes=0-1023", "bytes=1024-2047"]);
  assert.deepEqual(await late({ status: 404 }, [[0, 1024]]), ["404 Not Found"]);
  assert.equal(asked.length, 1);
});

/** Drives an engine that wants a part by these lines, each after the last, but `stop` at once; returns its input. */
async function driven(...lines) {
  const mailbox = new Mailbox();
  const { engine, heard } = wanting([[0, 1024]]);
  const { wanted } = engine;
  let jobs = 0;
  Object.assign(engine, {
    wanted: (isSearch) => {
      if (heard.length === 0) heard.push(isSearch ? "for a search" : "for a probe");
      return wanted();
    },
    isFinished: false,
    missing: () => [],
    line: (line) => {
      heard.push(line);
      if (line.startsWith("go")) jobs = 1;
      if (line === "quit") engine.isFinished = true;
    },
    run: async () => jobs-- > 0,
  });
  const over = drive(engine, mailbox, { read: async () => {}, isNear: async () => true });
  for (const [i, line] of lines.entries()) {
    mailbox.put(line);
    const isDone = () => lines[i + 1] === "stop" || heard.some((own) => String(own).startsWith(line.split(" ")[0]));
    do await new Promise((resolve) => setImmediate(resolve));
    while (!isDone() && !engine.isFinished);
  }
  await over;
  return heard;
}

test("searches and probes wait for parts, other commands do not", async () => {
  assert.deepEqual(await driven("go depth 1", "quit"), ["for a search", 0, "go depth 1", "quit"]);
  assert.deepEqual(await driven("probe", "quit"), ["for a probe", 0, "probe", "quit"]);
  asked.length = 0;
  assert.deepEqual(await driven("isready", "eval", "quit"), ["isready", "eval", "quit"]);
  assert.deepEqual(asked, []);
  atLast = { hangs: true };
  // The end of the waiting, and a clock that is almost over.
  assert.deepEqual(await driven("go infinite", "stop", "quit"), ["for a search", "go infinite", "stop", "quit"]);
  const [, go] = await driven("go movetime 8 depth 9", "quit");
  assert.match(go, /^go movetime [1-8] depth 9$/);
  const [, clock] = await driven("go wtime 90 btime 40", "quit");
  assert.match(clock, /^go wtime \d+ btime \d+$/);
});

test("an engine probes and plays by a table on a host as the native one does by the file", async (t) => {
  if (NATIVE === undefined) return t.diagnostic("MILLBRAIN names no native engine that makes a table");
  const folder = mkdtempSync(join(tmpdir(), "millbrain-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "small.mbt");
  const run = (...words) => execFileSync(NATIVE, ["tablebase", ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  run("build", "--rules", "Stones=3", "--sectors", "game", "--results", "--out", folder);
  run("compact", "--from", folder, "--out", path);
  atLast = { file: readFileSync(path) };
  const rules = { variant: "morris", options: { Stones: 3 } };
  const readings = [];
  const notes = [];
  const options = { TablebasePath: url, TablebaseEmbedded: false };
  const engine = await Engine.create({ rules, options, onReading: (reading) => readings.push(reading), onNote: (note) => notes.push(note) });
  const values = new Set();
  for (const [i, fen] of ["3/3/3/6/3/3/3 w 3 3 0 1", "3/3/3/6/3/1O1/X2 w 2 2 0 2", "3/3/2X/5X/3/1O1/1O1 w 1 1 0 3"].entries()) {
    const native = JSON.parse(run("probe", fen, "--rules", "Stones=3", "--path", path, "--no-embedded", "--json"));
    const probed = await engine.probe(rules, { fen });
    assert.deepEqual(probed, native);
    for (const { value } of probed.moves) values.add(value);
    const { move } = await engine.bestMove(rules, { fen }, { depth: i + 1 });
    assert.equal(probed.moves.find((known) => known.move === move).value, probed.value);
  }
  assert.ok(values.size > 1, [...values].join());
  const requests = readings.reduce((sum, reading) => sum + reading.requests, 0);
  t.diagnostic(`${requests} requests for ${asked.length} ranges`);
  assert.equal(requests, asked.length);
  assert.equal(asked[0], "bytes=0-65535");
  // The small tables of these rules are fewer than those of nine stones.
  await engine.setOptions({ TablebaseEmbedded: true });
  await engine.probe(rules);
  assert.ok(!notes.some((note) => note.includes("cannot be loaded")), notes.join("\n"));
  await engine.setOptions({ TablebaseEmbedded: false });
  // A position that the table does not have, and a table of other rules.
  assert.equal(await engine.probe({ variant: "morris" }), null);
  assert.ok(!notes.some((note) => note.includes(url)));
  assert.equal(await engine.probe({ variant: "mlyn" }), null);
  assert.ok(notes.some((note) => note.includes(url)), notes.join("\n"));
  engine.close();
});

// Downloads are complete and correct over unreliable connections, from servers of every kind.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { download } from "../dist/files/download.js";

/** Returns a deterministic generator of numbers from 0 to 1. */
function randoms(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Imitates a browser's cache. */
class Kept {
  entries = new Map();
  async match(url) {
    return this.entries.get(url)?.clone();
  }
  async put(url, response) {
    this.entries.set(url, response);
  }
  async delete(request) {
    return this.entries.delete(request.url ?? request);
  }
  async keys() {
    return [...this.entries.keys()].map((url) => ({ url }));
  }
}

/** Returns a file that compresses, but not by much. */
function made(seed, length) {
  const random = randoms(seed);
  return Uint8Array.from({ length }, () => random() * 64);
}
const fingerprint = (bytes) => [bytes.length, createHash("sha256").update(bytes).digest().subarray(0, 12).toString("base64")];

const FILE = made(1, 1_500_000);
const OTHER = made(2, 1_400_000);
const EXPECTED = fingerprint(FILE);

let server;
let url;
/** The relevant headers of all requests. */
const asked = [];
/** The server's behaviour for each request in order, and then for all others. */
let plans = [];
let atLast = {};

/** Answers a request; each field of a plan is a fault, or an optional behaviour of servers. */
function answer(request, response) {
  const { range, "if-range": ifRange } = request.headers;
  asked.push({ range, ifRange });
  const plan = plans.shift() ?? atLast;
  if (plan.status !== undefined) return response.writeHead(plan.status).end();
  const file = plan.file ?? FILE;
  const tag = plan.tag === false ? undefined : (plan.tag ?? `"${file.length}"`);
  const headers = tag === undefined ? {} : { ETag: tag };
  const at = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? Number.NaN);
  const isRest = at >= 0 && !plan.ignoresRange && (ifRange === undefined || ifRange === tag);
  if (isRest && (at >= file.length || plan.refusesRange)) {
    return response.writeHead(416, { "Content-Range": `bytes */${file.length}` }).end();
  }
  let body = isRest ? file.subarray(at + (plan.shift ?? 0)) : file;
  if (plan.isPacked && !isRest) [body, headers["Content-Encoding"]] = [gzipSync(body, { level: 1 }), "gzip"];
  if (isRest) headers["Content-Range"] = plan.range ?? `bytes ${at}-${file.length - 1}/${file.length}`;
  if (plan.hidesRange) delete headers["Content-Range"];
  if (!plan.isChunked) headers["Content-Length"] = plan.length ?? body.length;
  response.writeHead(isRest ? 206 : 200, headers);
  if (plan.ends !== undefined) return response.end(body.subarray(0, plan.ends));
  const sent = body.subarray(0, plan.cut ?? plan.length ?? body.length);
  if (sent.length === body.length || sent.length === plan.length) return response.end(sent);
  // Ends the connection without ending the answer; or not even that.
  response.write(sent, () => plan.hangs || response.socket?.end());
}

before(async () => {
  server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/packs/morris.pack`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  [plans, atLast] = [[], {}];
});

/** Downloads the file and checks it. */
async function fetched({ cache = new Kept(), file = FILE, isKnown = true, ...rest } = {}) {
  const expected = isKnown ? fingerprint(file) : undefined;
  const bytes = await download(url, { cache: cache ?? undefined, expected, pause: 1, ...rest });
  assert.deepEqual(Buffer.compare(bytes, file), 0, "another file");
  assert.equal(cache?.entries.size ?? 0, 0, "parts are left");
  return asked.map(({ range }) => (range === undefined ? 0 : Number(range.slice("bytes=".length, -1))));
}

test("a file that comes at once is asked for once, in its own form", async () => {
  assert.deepEqual(await fetched(), [0]);
  atLast = { isPacked: true, isChunked: true };
  assert.deepEqual(await fetched(), [0, 0]);
  assert.deepEqual(asked, Array(2).fill({ range: undefined, ifRange: undefined }));
});

test("a connection that is cut anywhere: the rest follows, and nothing comes twice", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = randoms(seed);
    const tag = [undefined, false, 'W/"weak"'][seed % 3];
    // Each part is long enough to count as one.
    plans = Array.from({ length: 8 }, () => ({ cut: 5_000 + Math.floor(random() * 150_000), tag, isChunked: random() < 0.5 }));
    const cuts = plans.map(({ cut }) => cut);
    atLast = { tag };
    asked.length = 0;
    let sum = 0;
    const expected = [0, ...cuts.map((cut) => (sum += cut))];
    assert.deepEqual(await fetched(), expected, `seed ${seed}`);
    const named = asked.slice(1).map(({ ifRange }) => ifRange);
    assert.deepEqual(new Set(named), new Set([tag === undefined ? `"${FILE.length}"` : undefined]));
  }
});

test("a server that ignores what is asked sends the whole file", async () => {
  atLast = { ignoresRange: true };
  plans = [{ cut: 700_000 }, { cut: 900_000, ...atLast }];
  assert.deepEqual(await fetched(), [0, 700_000, 900_000]);
});

test("a rest that is none is not asked for again", async () => {
  for (const fault of [
    { refusesRange: true },
    { shift: 1 },
    { range: "bytes 1-9/10" },
    { range: `bytes 700000-1499999/1500001` },
    { range: "nonsense" },
  ]) {
    asked.length = 0;
    // A shifted rest has its true range.
    if (fault.shift) fault.range = "bytes 700001-1499999/1500000";
    plans = [{ cut: 700_000 }, fault, { cut: 800_000 }];
    assert.deepEqual(await fetched(), [0, 700_000, 0, 0], JSON.stringify(fault));
  }
});

test("a file that has changed meanwhile: the tag says so, or the digest", async () => {
  atLast = { file: OTHER };
  plans = [{ cut: 700_000 }];
  assert.deepEqual(await fetched({ file: OTHER }), [0, 700_000]);
  asked.length = 0;
  atLast = { file: OTHER, tag: false, hidesRange: true };
  plans = [{ cut: 700_000, tag: false }];
  // Half of each, which the digest detects; then the new one.
  assert.deepEqual(await fetched({ file: OTHER }), [0, 700_000, 0]);
});

test("another file than the one that is expected is fetched twice, and refused", async () => {
  for (const [file, words] of [
    [OTHER, `${OTHER.length} bytes, expected ${FILE.length}`],
    [made(3, FILE.length), "its digest is wrong"],
  ]) {
    atLast = { file };
    asked.length = 0;
    const cache = new Kept();
    const refusal = { name: "AssetError", isDamaged: true, message: `morris.pack at ${url} is damaged (${words})` };
    await assert.rejects(download(url, { cache, expected: EXPECTED, pause: 1 }), refusal);
    assert.equal(asked.length, 2);
    assert.equal(cache.entries.size, 0);
  }
  plans = [{ file: OTHER }];
  atLast = {};
  asked.length = 0;
  assert.deepEqual(await fetched(), [0, 0]);
});

test("lengths that are lies", async () => {
  // Too long: the connection ends, or it stalls although the file is complete.
  plans = [{ length: FILE.length + 1000, cut: FILE.length }];
  assert.deepEqual(await fetched(), [0]);
  plans = [{ length: FILE.length + 1000, cut: FILE.length, hangs: true }];
  assert.deepEqual(await fetched(), [0, 0]);
  // Too short: there are no more bytes.
  atLast = { length: 1_000_000 };
  await assert.rejects(download(url, { expected: EXPECTED, pause: 1 }), { isDamaged: true, message: /1000000 bytes, expected 1500000/ });
});

test("a connection on which nothing comes any more is given up for another", async () => {
  plans = [{ cut: 700_000, hangs: true }];
  const [first, second] = await fetched({ patience: 1_000 });
  // Even on a slow machine.
  assert(first === 0 && second <= 700_000, `${second}`);
});

test("a body that was packed on the way is continued as it is, and the digest decides", async () => {
  plans = [{ isPacked: true, isChunked: true, cut: 600_000 }];
  const [, from] = await fetched();
  assert(from > 100_000 && from < FILE.length, `${from}`);
  assert.equal(asked[1].ifRange, undefined);
});

test("what has come is there after the page was left, and the server gone", async () => {
  const cache = new Kept();
  plans = [{ cut: 900_000 }, { status: 503 }];
  const gone = { name: "AssetError", isDamaged: false, message: /503/ };
  await assert.rejects(download(url, { cache, expected: EXPECTED, pause: 1 }), gone);
  assert(cache.entries.size > 0);
  const nowhere = new URL(url);
  nowhere.port = "1";
  const kept = [...cache.entries].map(([key, part]) => [key.replace(url, nowhere.href), part]);
  const there = Object.assign(new Kept(), { entries: new Map(kept) });
  // No server: reported at once, and still cached.
  await assert.rejects(download(nowhere.href, { cache: there, expected: EXPECTED, pause: 1e9 }), { name: "AssetError", isDamaged: false });
  assert.equal(there.entries.size, kept.length);
  asked.length = 0;
  const reported = [];
  const onProgress = (received, total) => reported.push([received, total]);
  assert.deepEqual(await fetched({ cache, onProgress }), [900_000]);
  assert.deepEqual([reported[0], reported.at(-1)], [[900_000, FILE.length], [FILE.length, FILE.length]]);
  assert.equal(asked[0].ifRange, `"${FILE.length}"`);
});

test("what is reported grows to the whole, by a hundredth or more", async () => {
  const reported = [];
  plans = [{ cut: 700_000 }];
  await fetched({ onProgress: (received, total) => reported.push(received) && assert.equal(total, FILE.length) });
  assert.equal(reported[0], 0);
  assert.equal(reported.at(-1), FILE.length);
  assert(reported.length > 3 && reported.length < 110, `${reported.length} times`);
  reported.reduce((before, now) => (assert(now >= before), now));
  // However small the pieces.
  const { fetch } = globalThis;
  const pieces = (at) => ({
    pull: (body) => (at < FILE.length ? body.enqueue(FILE.subarray(at, (at += 1000))) : body.close()),
  });
  globalThis.fetch = async () => new Response(new ReadableStream(pieces(0)));
  reported.length = 0;
  const onProgress = (received) => reported.push(received);
  await download(url, { expected: EXPECTED, onProgress }).finally(() => (globalThis.fetch = fetch));
  assert.deepEqual(reported, Array.from({ length: 101 }, (_, i) => i * 15_000));
  // Unknown in advance: as the server announces.
  const all = [];
  const bytes = await download(url, { onProgress: (...reported) => all.push(reported) });
  assert.deepEqual([Buffer.compare(bytes, FILE), all.at(-1)], [0, [FILE.length, FILE.length]]);
});

test("what cannot be known by its digest is continued only by its tag", async () => {
  const secure = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  for (const isKnown of [false, true]) {
    // Pages that are not secure have neither digests nor a cache.
    if (isKnown) Object.defineProperty(globalThis, "crypto", { configurable: true, value: {} });
    try {
      for (const [tag, starts] of [
        [undefined, [0, 700_000]],
        [false, [0, 0]],
        ['W/"weak"', [0, 0]],
      ]) {
        asked.length = 0;
        plans = [{ cut: 700_000, tag }];
        atLast = { tag };
        assert.deepEqual(await fetched({ isKnown, cache: null }), starts);
      }
    } finally {
      Object.defineProperty(globalThis, "crypto", secure);
    }
  }
});

test("an answer that does not say how long it is ends where it ends", async () => {
  atLast = { isChunked: true };
  assert.deepEqual(await fetched({ isKnown: false }), [0]);
  // A file known to be longer is continued.
  plans = [{ isChunked: true, ends: 700_000 }];
  asked.length = 0;
  assert.deepEqual(await fetched(), [0, 700_000]);
});

test("a server that is not there, or never sends anything, is given up", async () => {
  atLast = { status: 404 };
  await assert.rejects(download(url, { expected: EXPECTED }), { isDamaged: false, message: /404 Not Found/ });
  assert.equal(asked.length, 1);
  atLast = { cut: 100 };
  asked.length = 0;
  const cache = new Kept();
  await assert.rejects(download(url, { cache, expected: EXPECTED, pause: 1 }), { name: "AssetError", isDamaged: false });
  assert.equal(asked.length, 4);
  assert.deepEqual((await cache.keys()).length > 0, true);
});

test("any mixture of faults ends with the right file", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randoms(seed * 7919);
    const chance = (share) => random() < share;
    plans = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      ...(chance(0.8) ? { cut: Math.floor(random() * 1_400_000) } : {}),
      ...(chance(0.2) ? { ignoresRange: true } : {}),
      ...(chance(0.2) ? { refusesRange: true } : {}),
      ...(chance(0.2) ? { isPacked: true } : {}),
      ...(chance(0.2) ? { hidesRange: true } : {}),
      ...(chance(0.3) ? { isChunked: true } : {}),
      ...(chance(0.3) ? { tag: chance(0.5) ? false : 'W/"x"' } : {}),
    }));
    const reported = JSON.stringify(plans);
    const cache = chance(0.5) ? new Kept() : null;
    await fetched({ cache }).catch((error) => assert.fail(`${seed}: ${error} after ${reported}`));
  }
});

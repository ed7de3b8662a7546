// An engine that dies and is restarted, and the order of its downloads.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Engine, EngineGone } from "millbrain";
import { menOfTable, FileLoader } from "../dist/files/loader.js";

/** Returns transports to an engine that answers everything except searches, and pings as long as it lives. */
function ways() {
  const made = [];
  const transport = async () => {
    const way = {
      lines: [],
      lives: true,
      closed: false,
      onLine: () => {},
      onClose: () => {},
      send(line) {
        way.lines.push(line);
        const answer = { uci: "uciok", isready: "readyok" }[line];
        if (answer && way.lives) queueMicrotask(() => way.onLine(answer));
      },
      ping: (answered) => way.lives && answered(),
      close: () => (way.closed = true),
    };
    made.push(way);
    return way;
  };
  return { made, transport };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("an engine that gives no sign of life is gone, and is what it was after a restart", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    const { made, transport } = ways();
    const engine = await Engine.create({ transport, options: { Hash: 2 }, rules: { variant: "smess" } });
    await engine.setOptions({ "Skill Level": 3 });
    const search = engine.analyse({ variant: "mlyn", options: { Stones: 7 } }, {}, {}).result;
    let reason;
    search.catch((error) => (reason = error));
    await settle();
    assert.equal(made[0].lines.at(-1), "go infinite");
    // It is alive however long it searches.
    mock.timers.tick(600_000);
    await settle();
    assert.equal(engine.isGone, false);
    made[0].lives = false;
    mock.timers.tick(20_000);
    await settle();
    assert.ok(reason instanceof EngineGone && engine.isGone && made[0].closed);
    await assert.rejects(engine.newGame(), EngineGone);

    const restarted = engine.restart();
    const asked = engine.setOptions({ MultiPV: 2 });
    await restarted;
    await asked;
    assert.equal(engine.isGone, false);
    const set = made[1].lines.filter((line) => line.startsWith("setoption")).map((line) => line.replace(/^setoption name /, ""));
    const rules = ["UCI_Variant value mlyn", "Stones value 7"];
    assert.deepEqual(set, [...rules, "Hash value 2", "Skill Level value 3", "MultiPV value 2"]);
    engine.close();
    // A closed engine, or one that owes no answer, gets no pings.
    made[1].ping = () => assert.fail("asked");
    mock.timers.tick(5000);
  } finally {
    mock.timers.reset();
  }
});

test("of a file that comes no more is reported so, when the engine is gone", async () => {
  const { made, transport } = ways();
  const reported = [];
  const engine = await Engine.create({ transport, onDownload: (download) => reported.push(download) });
  const file = (name, received, isOver = false) => ({ file: name, received, total: 9, isOver });
  for (const download of [file("a.net", 0), file("b.pack", 3), file("a.net", 9, true)]) made[0].onDownload(download);
  assert.deepEqual(reported.splice(0), [file("a.net", 0), file("b.pack", 3), file("a.net", 9, true)]);
  engine.close();
  assert.deepEqual(reported.splice(0), [file("b.pack", 3, true)]);
  made[0].onDownload(file("b.pack", 5));
  await engine.restart();
  engine.close();
  assert.deepEqual(reported, []);
});

test("a benchmark is not taken for a death", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    const { made, transport } = ways();
    const engine = await Engine.create({ transport });
    const send = made[0].send;
    made[0].send = (line) => line === "bench" ? (made[0].lives = false) : send(line);
    const bench = engine.command("bench", { variant: "morris" });
    await settle();
    mock.timers.tick(600_000);
    assert.equal(engine.isGone, false);
    made[0].lives = true;
    made[0].onLine("readyok");
    assert.deepEqual(await bench, []);
    engine.close();
  } finally {
    mock.timers.reset();
  }
});

test("an engine whose way is there once cannot be restarted", async () => {
  const { transport } = ways();
  const engine = await Engine.create({ transport: await transport() });
  await assert.rejects(engine.restart(), /cannot be restarted, expected a function/);
  assert.ok(engine.isGone);
});

/** Returns an engine that lacks files, a network and two tables, at a position with this many men. */
function needy(men, wanted = ["morris.net", "morris/3-3.wdl", "morris/4-4.dtw"]) {
  const installed = [];
  const said = [];
  const engine = {
    missing: () => wanted.filter((name) => !installed.includes(name)),
    men: () => men,
    install: (name) => installed.push(name),
    onNote: ({ message }) => said.push(message),
  };
  return { engine, installed, said };
}

test("a search waits for its network, and for tables when they hold the next positions", async () => {
  const read = [];
  const files = { read: async (name) => (read.push(name), new Uint8Array()), isNear: async () => false };
  const begin = needy(18);
  await new FileLoader(begin.engine, files).load();
  assert.deepEqual(read.splice(0), ["morris.net"]);

  const middle = needy(12);
  const loader = new FileLoader(middle.engine, files);
  await loader.load();
  assert.deepEqual(middle.installed, ["morris.net"]);
  assert.equal(read.splice(0).length, 3, "the tables are on their way");
  await settle();
  await loader.load();
  assert.equal(middle.installed.length, 3);
  assert.deepEqual(read, [], "and come once");

  const end = needy(9);
  await new FileLoader(end.engine, files).load();
  assert.equal(end.installed.length, 3);

  const near = needy(18);
  await new FileLoader(near.engine, { ...files, isNear: async () => true }).load();
  assert.equal(near.installed.length, 3);
  assert.deepEqual(["a/3-4.wdl", "smess/B-BN.dtw"].map(menOfTable), [7, 3]);
});

for (const late of ["packs/morris.pack", "merels/17.wdl"]) {
  test(`a search never waits for ${late} if it is not here`, async () => {
    const reads = [];
    let arrive;
    const read = (name) => {
      reads.push(name);
      return name === late ? new Promise((resolve, reject) => (arrive = { resolve, reject })) : new Uint8Array();
    };
    for (const fails of [false, true]) {
      const { engine, installed, said } = needy(18, ["morris.net", late, "morris/3-3.wdl"]);
      const loader = new FileLoader(engine, { read, address: (name) => name, isNear: async () => false });
      await loader.load();
      assert.deepEqual([installed, reads.splice(0)], [["morris.net"], ["morris.net"]]);
      for (let i = 0; i < 2; i++) {
        loader.fetchPacks();
        await loader.load();
      }
      assert.deepEqual([installed, reads.splice(0)], [["morris.net"], [late]]);
      if (fails) arrive.reject(new Error("no connection"));
      else arrive.resolve(new Uint8Array());
      await settle();
      for (let i = 0; i < 2; i++) {
        await loader.load();
        loader.fetchPacks();
      }
      if (fails) {
        assert.deepEqual(said, [`${late} cannot be loaded (no connection), playing without it`]);
        assert.deepEqual([installed, reads], [["morris.net"], []], "reported of once, and left alone");
        loader.resetFailures();
        loader.fetchPacks();
        assert.deepEqual(reads.splice(0), [late], "asked for again in the next game");
      } else {
        assert.deepEqual([installed, said, reads], [["morris.net", late], [], []]);
      }
    }
    const near = needy(18, [late]);
    await new FileLoader(near.engine, { read: async () => new Uint8Array(), isNear: async () => true }).load();
    assert.deepEqual(near.installed, [late]);
    // Values are in a table, not in a pack.
    const probe = needy(18, [late]);
    await new FileLoader(probe.engine, { read: async () => new Uint8Array(), isNear: async () => false }).load(true);
    assert.deepEqual(probe.installed, late.endsWith(".pack") ? [] : [late]);
  });
}

test("a file that cannot be had is reported of once, and asked for again in the next game", async () => {
  let isThere = false;
  const read = async () => {
    if (!isThere) throw new Error("no connection");
    return new Uint8Array();
  };
  const { engine, installed, said } = needy(18);
  const loader = new FileLoader(engine, { read, isNear: async () => false });
  await loader.load();
  await loader.load();
  assert.deepEqual(said, ["morris.net cannot be loaded (no connection), playing without it"]);
  isThere = true;
  loader.resetFailures();
  await loader.load();
  assert.deepEqual(installed, ["morris.net"]);
});

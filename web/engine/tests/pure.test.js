// Parsing of lines, driving sessions with them, and waiting for files.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Rules } from "millbrain";
import { Mailbox, drive } from "../dist/driver.js";
import { host, setHost } from "../dist/host.js";
import { goLine, optionLines, positionLine, rulesLines } from "../dist/protocol/lines.js";
import { parseLine, parseOption } from "../dist/protocol/parse.js";
import { RulesModule } from "../dist/wasm/rules-module.js";
import { FileLoader, menOfTable } from "../dist/files/loader.js";

test("options are read with all that is advertised of them", () => {
  assert.deepEqual(parseOption("option name Skill Level type spin default 20 min 0 max 21"), {
    name: "Skill Level",
    type: "spin",
    default: "20",
    min: 0,
    max: 21,
  });
  assert.deepEqual(parseOption("option name Board type combo default plain var plain var two words"), {
    name: "Board",
    type: "combo",
    default: "plain",
    values: ["plain", "two words"],
  });
  assert.deepEqual(parseOption("option name Log File type string default <empty>"), {
    name: "Log File",
    type: "string",
    default: "",
  });
  assert.deepEqual(parseOption("option name Clear Hash type button"), { name: "Clear Hash", type: "button" });
  // A word of the name is not a keyword.
  assert.deepEqual(parseOption("option name No min type check default a b"), {
    name: "No min",
    type: "check",
    default: "a b",
  });
  for (const line of ["id name x", "option name x", "option type spin", "an option name x type spin", ""])
    assert.equal(parseOption(line), undefined, line);
});

test("lines of a search are read with all their numbers", () => {
  const rest = "nodes 1234 nps 56 hashfull 7 tbhits 8 time 9 pv d6 f4 score";
  assert.deepEqual(parseLine(`info depth 12 seldepth 15 multipv 2 score cp -35 lowerbound wdl 1 22 333 ${rest}`), {
    depth: 12,
    seldepth: 15,
    multipv: 2,
    score: { cp: -35 },
    bound: "lower",
    wdl: [1, 22, 333],
    nodes: 1234,
    nps: 56,
    hashfull: 7,
    tbhits: 8,
    time: 9,
    pv: ["d6", "f4", "score"],
  });
  assert.deepEqual(parseLine("info score mate -3 upperbound"), {
    depth: 0,
    seldepth: 0,
    multipv: 1,
    score: { mate: -3 },
    bound: "upper",
    nodes: 0,
    nps: 0,
    hashfull: 0,
    tbhits: 0,
    time: 0,
    pv: [],
  });
  assert.deepEqual(Object.keys(parseLine("info score cp 1")).includes("bound"), false);
  assert.deepEqual(Object.keys(parseLine("info score cp 1")).includes("wdl"), false);
  for (const line of ["info depth 3 nodes 5", "bestmove d6 score", "info string score", "info depth score", ""])
    assert.equal(parseLine(line), undefined, line);
  // After the variation there are only moves.
  assert.equal(parseLine("info pv d6 score cp 5"), undefined);
});

test("lines are written as the protocol has them", () => {
  assert.deepEqual(optionLines({ Hash: 2, Flying: false }), [
    "setoption name Hash value 2",
    "setoption name Flying value false",
  ]);
  assert.deepEqual(rulesLines({ variant: "mlyn" }), ["setoption name UCI_Variant value mlyn"]);
  assert.deepEqual(rulesLines({ variant: "mlyn", options: { Stones: 7 } }), [
    "setoption name UCI_Variant value mlyn",
    "setoption name Stones value 7",
  ]);
  assert.equal(positionLine({}), "position startpos");
  assert.equal(positionLine({ fen: "x w", moves: [] }), "position fen x w");
  assert.equal(positionLine({ moves: ["d6", "f4"] }), "position startpos moves d6 f4");
  assert.equal(goLine({}), "go infinite");
  assert.equal(goLine({ depth: 3, nodes: 5 }), "go depth 3 nodes 5");
  assert.equal(goLine({ searchmoves: ["d6", "f4"] }), "go infinite searchmoves d6 f4");
  assert.equal(goLine({ movetime: 3, searchmoves: [] }), "go movetime 3 searchmoves");
});

/** Returns an engine that records its input, and runs a job after each line that begins with `go`. */
function noting() {
  const reported = [];
  let jobs = 0;
  const engine = {
    isFinished: false,
    missing: () => (reported.push("missing?"), []),
    wanted: () => [],
    line: (line) => {
      reported.push(line);
      if (line.startsWith("go")) jobs = 2;
      if (line === "quit") engine.isFinished = true;
    },
    endOfInput: () => {
      reported.push("end");
      engine.isFinished = true;
    },
    run: async () => jobs-- > 0 && (reported.push("run"), true),
  };
  return { engine, reported };
}

const files = { read: async () => new Uint8Array(), isNear: async () => false };

test("a mailbox hands over in order, and wakes who waits for it", async () => {
  const mailbox = new Mailbox();
  const { engine, reported } = noting();
  assert.equal(mailbox.deliver(engine), false);
  assert.equal(mailbox.take(), undefined);
  let isFilled = false;
  const filled = mailbox.filled().then(() => (isFilled = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isFilled, false);
  mailbox.put("a");
  await filled;
  await mailbox.filled();
  mailbox.put(null);
  assert.equal(mailbox.take(), "a");
  mailbox.put("b");
  assert.equal(mailbox.deliver(engine), true);
  assert.deepEqual(reported, ["end", "b"]);
  assert.equal(mailbox.take(), undefined);
});

test("files are asked for around what may need them, and not for the rest", async () => {
  const light = ["", "uci", "debug on", "setoption x", "register", "ucinewgame", " position startpos", "stop", "ponderhit"];
  const drivenBy = async (...lines) => {
    const mailbox = new Mailbox();
    const { engine, reported } = noting();
    for (const line of lines) mailbox.put(line);
    let waits = 0;
    await drive(engine, mailbox, files, async () => void (waits += 1));
    return [reported, waits];
  };
  for (const line of light) assert.deepEqual(await drivenBy(line, "quit"), [[line, "quit"], 2], line);
  for (const line of ["isready", "bench 3", "d"])
    assert.deepEqual(await drivenBy(line, "quit"), [["missing?", line, "missing?", "quit"], 2], line);
  const searched = ["missing?", "go depth\t1", "missing?", "run", "missing?", "run", "missing?", "missing?"];
  // Before a command, after each job that may have started another one, and for packs after all jobs.
  assert.deepEqual(await drivenBy("go depth\t1", "quit"), [[...searched, "quit"], 4]);
  assert.deepEqual(await drivenBy("go", null), [["missing?", "go", ...searched.slice(2), "end"], 4]);
});

test("a pack is sent for when the first search is over, and installed before the next", async () => {
  const mailbox = new Mailbox();
  const { engine, reported } = noting();
  Object.assign(engine, {
    missing: () => (reported.includes("packs/morris.pack") ? [] : ["packs/morris.pack"]),
    men: () => 18,
    install: (name) => reported.push(name),
  });
  const read = async (name) => (reported.push(`read ${name}`), new Uint8Array());
  const driven = drive(engine, mailbox, { ...files, read });
  for (const lines of [["isready"], ["go"], ["go", "quit"]]) {
    lines.forEach((line) => mailbox.put(line));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await driven;
  const [search, pack] = [["go", "run", "run"], "packs/morris.pack"];
  assert.deepEqual(reported, ["isready", ...search, `read ${pack}`, pack, ...search, "quit"]);
});

test("what could not be had is asked for again in a new game only", async () => {
  const asked = [];
  const mailbox = new Mailbox();
  const { engine } = noting();
  Object.assign(engine, { missing: () => ["morris.net"], onLine: () => {}, onNote: () => {} });
  const read = async (name) => {
    asked.push(name);
    throw new Error("gone");
  };
  for (const line of ["isready", "isready", "uci", "ucinewgame", "isready", "quit"]) mailbox.put(line);
  await drive(engine, mailbox, { ...files, read });
  assert.deepEqual(asked, ["morris.net", "morris.net"]);
});

/** Returns the installed and the fetched tables for this many remaining men. */
async function supplied(men, wanted, near = []) {
  const installed = [];
  const read = [];
  const engine = {
    missing: () => wanted.filter((name) => !installed.includes(name)),
    men: () => men,
    install: (name) => installed.push(name),
    onLine: () => {},
  };
  const loader = new FileLoader(engine, {
    read: async (name) => (read.push(name), new Uint8Array()),
    isNear: async (name) => near.includes(name),
  });
  await loader.load();
  return { installed, coming: read.filter((name) => !installed.includes(name)) };
}

test("tables are waited for, sent for or left by the men that are too many for them", async () => {
  const tables = ["morris/3-3.dtw", "morris/3-4.wdl"];
  // The largest has seven men: a search waits for it with one more, and it is fetched with up to four more.
  const outcome = async (inHand) => {
    const { installed, coming } = await supplied(6 + inHand, tables);
    return [installed.length, coming.length];
  };
  assert.deepEqual(await outcome(2), [2, 0]);
  assert.deepEqual(await outcome(3), [0, 2]);
  assert.deepEqual(await outcome(5), [0, 2]);
  assert.deepEqual(await outcome(6), [0, 0]);
  const far = await supplied(24, tables, ["morris/3-4.wdl"]);
  assert.deepEqual([far.installed, far.coming], [["morris/3-4.wdl"], []]);
  assert.deepEqual((await supplied(3, ["smess/B-BN.dtw"])).installed, ["smess/B-BN.dtw"]);
  assert.deepEqual(["x-3.wdlx/10-2.wdl", "7-3", "BSS-B.dtw"].map(menOfTable), [12, 10, 4]);
});

test("a table that did not come while nobody waited is reported of when it is needed", async () => {
  let fails = true;
  let men = 9;
  const said = [];
  const installed = [];
  const engine = {
    missing: () => ["morris/3-3.dtw"].filter((name) => !installed.includes(name)),
    men: () => men,
    install: (name) => installed.push(name),
    onNote: ({ message }) => said.push(message),
  };
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (fails) throw "no connection";
    return new Uint8Array();
  };
  const loader = new FileLoader(engine, { read, isNear: async () => false });
  await loader.load();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([said, installed, reads], [[], [], 1]);
  men = 7;
  await loader.load();
  assert.deepEqual(said, ["morris/3-3.dtw cannot be loaded (no connection), playing without it"]);
  assert.equal(reads, 2);
  fails = false;
  await loader.load();
  assert.deepEqual([installed, reads], [[], 2]);
  loader.resetFailures();
  await loader.load();
  assert.deepEqual([installed, reads], [["morris/3-3.dtw"], 3]);
});

test("an alias chooses its variant, whose name is reported", async () => {
  const rules = await Rules.create();
  const { name, aliases } = rules.variants().find((variant) => variant.aliases.length > 0);
  assert.deepEqual([name, ...aliases], ["morabaraba", "twelve"]);
  assert.equal(rules.state({ variant: "twelve" }).variant, "morabaraba");
});

test("what is kept for a network that is gone is what a search would ask for", async () => {
  const rules = await Rules.create();
  const before = host();
  // Without a cache there is nothing to do.
  await rules.keep({ variant: "mlyn" });
  const kept = [];
  setHost({ ...before, keep: async (url) => void kept.push(url.replace(before.assets, "")) });
  try {
    await rules.keep({ variant: "mlyn" });
    assert.match(kept.slice(0, 4).join(), /^rules.wasm,millbrain[^,]*\.wasm,mlyn.net,games.wasm$/);
    assert.ok(["mlyn/3-3.dtw", "mlyn/3-4.wdl"].every((name) => kept.includes(name)), kept.join());
    const all = kept.splice(0);
    assert.match(all.at(-1), /packs\/mlyn\.pack$/);
    await rules.keep({ variant: "mlyn" }, { tables: false });
    assert.deepEqual(kept.splice(0), all.filter((name) => !/\.(wdl|dtw|pack)$/.test(name)));
    const variants = ["morris", "morabaraba", "mlyn", "mylos", "lasker", "smess"];
    const packed = variants.map((variant) => rules.hasPack({ variant }));
    assert.deepEqual(packed, [true, true, true, true, true, false]);
    assert.equal(rules.hasPack({ variant: "morris", options: { Stones: 7 } }), false);
    for (const tables of [true, false]) {
      await rules.keep({ variant: "morris" }, { tables });
      assert.equal(kept.splice(0).includes("packs/morris.pack"), tables);
    }
  } finally {
    setHost(before);
  }
});

test("rules are set once, and a move at random is one of the legal ones or none", async () => {
  const rules = await Rules.create();
  const set = [];
  const { setRules } = RulesModule.prototype;
  RulesModule.prototype.setRules = function (ruleset) {
    set.push(ruleset);
    setRules.call(this, ruleset);
  };
  after(() => Object.assign(RulesModule.prototype, { setRules }));
  const mlyn = { variant: "mlyn", options: { Stones: 7 } };
  rules.state(mlyn);
  assert.ok(rules.text(mlyn, "sk").length > 5);
  assert.deepEqual(set, [mlyn]);
  // Known boards and moves need no request, and change no rules.
  assert.equal(rules.layout(mlyn).hand, 7);
  const slide = rules.parts(mlyn, "a4a7");
  rules.layout({ variant: "smess" });
  set.length = 0;
  assert.equal(rules.parts(mlyn, "a4a7"), slide);
  assert.equal(rules.layout(mlyn).hand, 7);
  assert.deepEqual(set, []);
  // A FEN depends on the requested rules.
  assert.match(rules.fen(mlyn, { pieces: [], side: "white" }), /^3\/3\/3\/6/);
  const { moves } = rules.state(mlyn, { moves: ["d6"] });
  const random = rules.randomMove(mlyn, { moves: ["d6"] });
  assert.ok(moves.some(({ text }) => text === random));
  assert.equal(rules.randomMove({ variant: "morris" }, { fen: "OO1/3/3/6/3/3/XXX w 0 0" }), null);
  // Refused rules are not the current ones, and are refused again.
  const refused = { variant: "morris", options: { Stones: 2 } };
  for (let i = 0; i < 2; i++)
    assert.throws(() => rules.state(refused), { name: "EngineError", message: /^setoption refused: .*Stones/ });
  assert.match(rules.state(mlyn).fen, / w 7 7 0 1$/);
});

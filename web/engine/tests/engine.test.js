// The typed class, and the rules on the calling thread.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Engine, EngineError, Rules } from "millbrain";

const morris = { variant: "morris" };

test("an analysis gives its lines and its answer", async () => {
  const engine = await Engine.create({ options: { Hash: 1 } });
  assert.match(engine.name, /^millbrain \d/);
  assert.ok(engine.options.some(({ name, max }) => name === "Skill Level" && max === 20));
  const depths = [];
  const analysis = engine.analyse(morris, { moves: ["d6"] }, { depth: 6 }, { options: { MultiPV: 2 } });
  for await (const { depth, multipv, pv } of analysis) depths.push([depth, multipv, pv.length > 0]);
  assert.deepEqual(depths.at(-1), [6, 2, true]);
  const { move, lines } = await analysis.result;
  assert.equal(move, lines[0].pv[0]);
  assert.equal(lines.length, 2);
  engine.close();
});

test("stop, an aborted signal and a search that waits are all answered", async () => {
  const engine = await Engine.create();
  const first = engine.analyse(morris, {}, {});
  const abort = new AbortController();
  const second = engine.analyse({ variant: "smess" }, {}, {}, { signal: abort.signal });
  const third = engine.analyse({ variant: "smess" }, {}, {}, { signal: AbortSignal.abort() });
  for await (const line of first) if (line.depth >= 5) break;
  assert.match((await first.stop()).move, /^[a-g][1-7]$/);
  abort.abort();
  assert.match((await second.result).move, /^[a-g][1-8][a-g][1-8]$/);
  assert.match((await third.result).move, /^[a-g][1-8][a-g][1-8]$/);
  assert.equal((await engine.bestMove(morris, { moves: ["d6"] }, { nodes: 200 })).move.length, 2);
  engine.close();
});

test("several threads search together, and their number may change", async () => {
  const engine = await Engine.create({ threads: 3 });
  assert.equal(engine.options.find(({ name }) => name === "Threads").max, 3);
  await assert.rejects(engine.setOptions({ Threads: 4 }), /invalid value "4" for Threads: expected a number from 1 to 3/);
  for (const threads of [3, 1, 2, 3]) {
    await engine.setOptions({ Threads: threads });
    const analysis = engine.analyse(morris, {}, {});
    for await (const line of analysis) if (line.depth >= 9) break;
    assert.match((await analysis.stop()).move, /^[a-g][1-7]$/);
    await engine.newGame();
  }
  engine.close();
  const single = await Engine.create();
  assert.equal(single.options.find(({ name }) => name === "Threads").max, 1);
  single.close();
});

test("the figures of a stop", async (t) => {
  const engine = await Engine.create();
  const times = [];
  for (const { name: variant } of (await Rules.create()).variants()) {
    const analysis = engine.analyse({ variant }, {}, {});
    for await (const line of analysis) if (line.depth >= 7) break;
    const begun = performance.now();
    await analysis.stop();
    times.push(Math.round(performance.now() - begun));
  }
  t.diagnostic(`milliseconds from stop to answer: ${times.join(", ")}`);
  engine.close();
});

test("faults are reported in the engine's words", async () => {
  const engine = await Engine.create();
  await assert.rejects(engine.setOptions({ Hash: 0 }), (error) => {
    assert.ok(error instanceof EngineError);
    assert.equal(error.message, 'setoption refused: invalid value "0" for Hash: expected a number from 1 to 1024');
    return true;
  });
  const refused = engine.analyse(morris, { fen: "O3 w" }, { depth: 1 });
  await assert.rejects(refused.result, /position refused: bad FEN: 1 row/);
  for await (const line of refused) assert.fail(`a line: ${line}`);
  await assert.rejects(engine.analyse({ variant: "chess" }, {}, {}).result, /invalid value "chess" for UCI_Variant/);
  assert.equal((await engine.bestMove(morris, {}, { depth: 1 })).lines[0].depth, 1);
  assert.match((await engine.command("eval", morris)).at(-1), /^Evaluation: /);
  await engine.newGame();
  engine.close();
  await assert.rejects(engine.bestMove(morris, {}, { depth: 1 }), /closed/);
});

test("a closed engine leaves nobody waiting", async () => {
  const engine = await Engine.create();
  const analysis = engine.analyse(morris, {}, {});
  for await (const line of analysis) if (line.depth >= 2) break;
  engine.close();
  await assert.rejects(analysis.result, /closed/);
});

test("files that are missing or damaged cost only themselves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millbrain-"));
  try {
    cpSync(fileURLToPath(new URL("../data/millbrain.wasm", import.meta.url)), join(folder, "millbrain.wasm"));
    writeFileSync(join(folder, "morris.net"), "no network");
    const engine = await Engine.create({ assets: `${pathToFileURL(folder)}/` });
    const damaged = /^morris\.net cannot be loaded \(morris\.net at .* is damaged \(not a network, expected a file/;
    assert.ok(engine.notes.some((note) => damaged.test(note)), engine.notes.join("\n"));
    const { move, notes } = await engine.bestMove(morris, {}, { depth: 3 });
    assert.match(move, /^[a-g][1-7]$/);
    assert.deepEqual(notes, [], "reported once");
    const smess = await engine.bestMove({ variant: "smess" }, {}, { depth: 1 });
    assert.ok(smess.notes.some((note) => note.startsWith("smess.net cannot be loaded (")), smess.notes.join("\n"));
    engine.close();
    await assert.rejects(Engine.create({ assets: `${pathToFileURL(folder)}/nowhere/` }), /ENOENT/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the rules are known without waiting", async () => {
  const rules = await Rules.create();
  for (const { name: variant, family, layout } of rules.variants()) {
    const state = rules.state({ variant });
    assert.equal(state.variant, variant);
    assert.equal(state.family, family);
    assert.equal(state.side, "white");
    // From the hand to any point.
    assert.equal(state.moves.length, layout.hand > 0 ? layout.points.length : 12);
    assert.equal(state.ending, null);
    for (const language of ["en", "de", "sk"]) assert.ok(rules.text({ variant }, language).length > 5);
    // A random game to its end.
    const moves = [];
    for (let move = rules.randomMove({ variant }); move !== null && moves.length < 60; ) {
      moves.push(move);
      move = rules.randomMove({ variant }, { moves });
    }
    assert.ok(moves.length >= 5);
    assert.equal(rules.state({ variant }, { moves }).fen.length > 10, true);
  }
  const over = rules.state(morris, { fen: "OO1/3/3/6/3/3/XXX w 0 0" });
  assert.deepEqual(over.ending, { winner: "black", id: "few-stones", reason: "fewer than three stones" });
  assert.deepEqual(over.moves, []);
});

test("house rules and faults reach the rules", async () => {
  const rules = await Rules.create();
  const house = { variant: "morris", options: { Board: "diagonals", Stones: 12 } };
  assert.match(rules.state(house).fen, / w 12 12 0 1$/);
  assert.match(rules.state(morris).fen, / w 9 9 0 1$/);
  assert.throws(() => rules.state({ variant: "morris", options: { Stones: 2 } }), /invalid value "2" for Stones/);
  assert.match(rules.state(morris).fen, / w 9 9 0 1$/);
  assert.throws(() => rules.state(morris, { moves: ["d6", "d6"] }), /move 2 \(d6\) is illegal/);
  assert.equal(rules.state(morris, { moves: ["d6"] }).side, "black");
  const speed = { variant: "morris", options: { Speed: 7 } };
  const unknown = { name: "EngineError", id: "fault.unknown-option", message: /unknown rule option "Speed"/ };
  assert.throws(() => rules.state(speed), unknown);
});

test("games are read and written in every form", async () => {
  const rules = await Rules.create();
  const game = {
    ...morris,
    white: "Ann",
    black: "Bob",
    times: ["600+5", "-"],
    round: 2,
    tags: [["Date", "2026.11.27"]],
    comment: "played at home",
    nodes: ["d6", "f4", "d2"].map((move, parent) => ({ parent, move })),
    end: { outcome: "black", reason: "", termination: "resignation" },
  };
  game.nodes.push({ parent: 1, move: "b4", clock: 61_000, marks: [2], before: "why not", comment: "the other side" });
  for (const format of ["record", "pgn", "sgf"]) {
    const text = rules.writeGame(game, format);
    assert.deepEqual(rules.readGames(text, { variant: "mlyn" }), { format, games: [{ ...game, options: {} }] });
  }
  assert.match(rules.writeGame({ ...game, number: 3 }, "record"), /^\[Game "3"\]$/m);
  const numbered = { ...game, number: 0 };
  assert.throws(() => rules.writeGame(numbered, "record"), { name: "EngineError", message: /^number is 0/ });
  assert.equal(rules.writeGame(game, "sanmill"), "1.    d6    f4\n2.    d2\n0-1\n");
  const [read] = rules.readGames("d6 f4 d2", { variant: "mlyn", options: { Stones: 7 } }).games;
  assert.deepEqual([read.variant, read.options], ["mlyn", { Stones: 7 }]);
  const fault = { name: "NotationError", id: "fault.noMoves", values: {} };
  assert.throws(() => rules.readGames("", morris), fault);
  assert.throws(() => rules.readGames("(;GM[1])", morris), { id: "fault.sgfGame", values: { text: "1" } });
  assert.throws(() => rules.readGames("d6 d6", morris), { id: "fault.move", message: /^move 2 \(d6\) is illegal/ });
  assert.throws(() => rules.writeGame({ ...game, variant: "smess", nodes: [] }, "sgf"), /SGF has no number for Smess/);
  assert.throws(() => rules.writeGame({}, "sgf"), /variant is undefined, expected a name/);
});

test("a text of games is taken apart as they are asked for", async () => {
  const rules = await Rules.create();
  const [first, second] = ["1. d6 {1.\n1. ä\ud83d\ude00}\n2. f4\n", "1. a7\n"];
  const text = `\ufeff${first}${second}`;
  const pieces = [...rules.splitGames(text)];
  assert.deepEqual(
    pieces.map(({ text, form, line }) => [text, form, line]),
    [
      [first, "sanmill", 1],
      [second, "sanmill", 4],
    ],
  );
  assert.ok(pieces.every(({ end }) => end === text.length));
  // Long texts are processed in parts, and two at once do not mix.
  const long = `1. d6 {${"😀".repeat(70_001)}}\n`;
  const [one, two] = [rules.splitGames(long.repeat(3)), rules.splitGames(long.repeat(2))];
  // A line ends a game only once it is complete and starts another game.
  assert.ok(one.next().value.end < long.length * 3);
  assert.deepEqual(
    [...two].map(({ text }) => text),
    [long, long],
  );
  assert.deepEqual(
    [...one].map(({ text }) => text),
    [long, long],
  );
  const torn = rules.splitGames(long.repeat(3));
  torn.next();
  assert.deepEqual(torn.return(1), { value: 1, done: true });
  assert.deepEqual([...rules.splitGames(""), ...rules.splitGames(" \n")], []);
});

test("a score tells what points to expect, and a loss of them is marked", async () => {
  const rules = await Rules.create();
  const points = (variant, score) => rules.expectedPoints({ variant }, score);
  for (const { name: variant } of rules.variants()) {
    const reported = [{ cp: 0 }, { mate: 2 }, { mate: -2 }, { mate: 0 }].map((score) => points(variant, score));
    assert.deepEqual(reported, [0.5, 1, 0, 0]);
    assert.ok(points(variant, { cp: 100 }) > points(variant, { cp: 50 }));
  }
  assert.deepEqual(rules.marks(), [[0.2, "??"], [0.1, "?"], [0.05, "?!"]]);
});

test("variants tell their rules, their boards and where they begin", async () => {
  const rules = await Rules.create();
  const [morris, ...others] = rules.variants();
  assert.equal(rules.variants()[0], morris, "asked once");
  assert.deepEqual([morris.name, morris.family, morris.start], ["morris", "morris", "3/3/3/6/3/3/3 w 9 9 0 1"]);
  assert.deepEqual(morris.options[0], { name: "Stones", choice: { kind: "number", least: 3, most: 12 }, value: 9 });
  assert.deepEqual(
    morris.options.find(({ name }) => name === "Removal"),
    { name: "Removal", choice: { kind: "word", words: ["if-all", "never"] }, value: "if-all" },
  );
  for (const { name, family, options, layout, start } of [morris, ...others]) {
    const variant = { variant: name };
    const state = rules.state(variant);
    assert.deepEqual([state.family, state.fen], [family, start]);
    assert.deepEqual(rules.layout(variant), layout);
    const same = Object.fromEntries(options.map(({ name, value }) => [name, value]));
    assert.equal(rules.state({ variant: name, options: same }).fen, start);
  }
});

test("boards are reported by the names of their points", async () => {
  const rules = await Rules.create();
  const plain = rules.layout(morris);
  assert.deepEqual([plain.points.length, plain.squares, plain.hand, plain.arrows], [24, false, 9, []]);
  assert.deepEqual(plain.points[3], { name: "b6", x: 1, y: 1 });
  assert.deepEqual(plain.kinds, [{ id: "stone", letters: ["O", "X"] }]);
  assert.ok(plain.lines.some((line) => line.join() === "a7,d7,g7") && plain.lines.length === 16);
  const house = { variant: "morris", options: { Board: "diagonals", Stones: 12 } };
  assert.deepEqual([rules.layout(house).lines.length, rules.layout(house).hand], [20, 12]);
  const smess = rules.layout({ variant: "smess" });
  assert.deepEqual(smess.marked, ["b8", "c8", "e8", "f8", "b1", "c1", "e1", "f1"]);
  assert.deepEqual(smess.arrows[0], [[1, 0], [0, 1]]);
});

test("pieces, hands and losses are reported by names and sides", async () => {
  const rules = await Rules.create();
  const state = rules.state(morris, { fen: "O2/3/3/6/3/3/2X b 3 4 0 9" });
  assert.deepEqual(state.pieces, [
    { point: "a7", side: "white", kind: "stone" },
    { point: "g1", side: "black", kind: "stone" },
  ]);
  assert.deepEqual(state.hands, { white: 3, black: 4 });
  assert.deepEqual([state.lost.white.length, state.lost.black], [5, Array(4).fill("stone")]);
  assert.deepEqual([state.phase, state.moveNumber], ["placing", 9]);
  const smess = rules.state({ variant: "smess" }, { fen: "3b3/7/7/7/7/7/7/1SSBSS1 w 0 1" });
  assert.equal(smess.lost.white.join(), Array(7).fill("ninny").join());
  assert.deepEqual(smess.pieces[0], { point: "d8", side: "black", kind: "brain" });
});

test("moves are taken apart", async () => {
  const rules = await Rules.create();
  assert.deepEqual(rules.parts(morris, "d6"), { text: "d6", to: "d6", taken: [] });
  assert.deepEqual(rules.parts(morris, "A4-A7xg1"), { text: "a4a7xg1", from: "a4", to: "a7", taken: ["g1"] });
  assert.deepEqual(rules.parts(morris, "d6xb4"), { text: "d6xb4", to: "d6", taken: ["b4"] });
  assert.deepEqual(rules.parts({ variant: "smess" }, "f2g1"), { text: "f2g1", from: "f2", to: "g1", taken: [] });
  for (const text of ["", "z9", "a8", "d6x", "d6 f4"]) assert.equal(rules.parts(morris, text), null, text);
  assert.equal(rules.parts({ variant: "smess" }, "d6"), null);
  assert.throws(() => rules.parts({ variant: "chess" }, "d6"), EngineError);
});

test("what an editor shows becomes a FEN, whether it can be played or not", async () => {
  const rules = await Rules.create();
  const fen = "OX1/3/3/6/3/3/3 b 3 4";
  const { pieces } = rules.state(morris, { fen });
  assert.equal(rules.fen(morris, { pieces, side: "black", hands: { white: 3, black: 4 } }), fen);
  const brains = [{ point: "d8", side: "black", kind: "brain" }];
  assert.equal(rules.fen({ variant: "smess" }, { pieces: brains, side: "white" }), "3b3/7/7/7/7/7/7/7 w");
  assert.equal(rules.fen({ variant: "smess" }, { pieces: [], side: "white" }), "7/7/7/7/7/7/7/7 w");
  const at = (point, kind) => () => rules.fen(morris, { pieces: [{ point, side: "white", kind }], side: "white" });
  assert.throws(at("z9", "stone"), { name: "EngineError", message: /^unknown point "z9", expected one of a7, d7/ });
  assert.throws(at("a7", "brain"), { message: 'unknown kind "brain", expected one of stone' });
});

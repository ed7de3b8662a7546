// The typed class, and the rules on the calling thread.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Engine, EngineError, Rules, VARIANTS, moveParts } from "millbrain";

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
  for (const variant of VARIANTS) {
    const analysis = engine.analyse({ variant }, {}, {});
    for await (const line of analysis) if (line.depth >= 7) break;
    const begun = performance.now();
    await analysis.stop();
    times.push(Math.round(performance.now() - begun));
  }
  t.diagnostic(`milliseconds from stop to answer: ${times.join(", ")}`);
  engine.close();
});

test("faults are told in the engine's words", async () => {
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
  await assert.rejects(engine.bestMove(morris, {}, {}), /closed/);
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
    assert.ok(engine.notes.some((note) => note.startsWith("morris.net cannot be loaded (10 bytes are no network")));
    const { move, notes } = await engine.bestMove(morris, {}, { depth: 3 });
    assert.match(move, /^[a-g][1-7]$/);
    assert.deepEqual(notes, [], "told once");
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
  for (const variant of VARIANTS) {
    const state = rules.state({ variant });
    assert.equal(state.variant, variant);
    assert.equal(state.family, variant === "smess" ? "smess" : "morris");
    assert.equal(state.side, "white");
    assert.equal(state.moves.length, variant === "smess" ? 12 : 24);
    assert.equal(state.ending, null);
    for (const language of ["en", "de", "sk"]) assert.ok(rules.text({ variant }, language).length > 5);
    // A random game, to its end.
    const moves = [];
    for (let move = rules.randomMove({ variant }); move !== null && moves.length < 60; ) {
      moves.push(move);
      move = rules.randomMove({ variant }, { moves });
    }
    assert.ok(moves.length > 5);
    assert.equal(rules.state({ variant }, { moves }).fen.length > 10, true);
  }
  const over = rules.state(morris, { fen: "OO1/3/3/6/3/3/XXX w 0 0" });
  assert.deepEqual(over.ending, { winner: "black", reason: "fewer than three stones" });
  assert.deepEqual(over.moves, []);
});

test("house rules and faults reach the rules", async () => {
  const rules = await Rules.create();
  assert.equal(rules.state({ variant: "morris", options: { Board: "diagonals", Stones: 12 } }).diagonals, true);
  assert.match(rules.state(morris).fen, / w 9 9 0 1$/);
  assert.throws(() => rules.state({ variant: "morris", options: { Stones: 2 } }), /invalid value "2" for Stones/);
  assert.match(rules.state(morris).fen, / w 9 9 0 1$/);
  assert.throws(() => rules.state(morris, { moves: ["d6", "d6"] }), /move 2 \(d6\) is illegal/);
  assert.equal(rules.state(morris, { moves: ["d6"] }).side, "black");
  assert.equal(rules.options().find(({ name }) => name === "Removal").values.join(), "if-all,never");
});

test("moves are taken apart", () => {
  assert.deepEqual(moveParts("d6"), { to: "d6" });
  assert.deepEqual(moveParts("a4a7xg1"), { from: "a4", to: "a7", remove: "g1" });
  assert.deepEqual(moveParts("d6xb4"), { to: "d6", remove: "b4" });
  assert.throws(() => moveParts("z9"), EngineError);
});

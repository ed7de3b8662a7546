// Every public call with an invalid number or key: it is refused by name, returns at once, and changes nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Engine, EngineError, Game, NotationError, Rules } from "millbrain";
import { goLine, optionLines, positionLine, rulesLines } from "../dist/protocol/lines.js";

const RULES = { variant: "morris", options: { Stones: 9 } };
const POSITION = { fen: "3/3/3/6/3/3/3 w 9 9 0 1", moves: ["d6"] };
const LIMITS = {
  depth: 1,
  nodes: 100,
  mate: 1,
  movetime: 10,
  wtime: 100,
  btime: 100,
  winc: 1,
  binc: 1,
  movestogo: 9,
  searchmoves: ["f4"],
};
const GAME = {
  ...RULES,
  white: "A",
  black: "B",
  nodes: [{ parent: 0, move: "d6", time: 5, said: { score: { cp: 3 }, depth: 7 } }],
};
const HANDS = { white: 8, black: 9 };
const SETUP = { pieces: [{ point: "d6", side: "white", kind: "stone" }], side: "black", hands: HANDS };

let engine;
let rules;
before(async () => {
  [engine, rules] = await Promise.all([Engine.create(), Rules.create()]);
});
after(() => engine.close());

/** Calls with arguments, all valid. */
const CALLS = {
  "Engine.create": [
    async (...args) => (await Engine.create(...args)).close(),
    { threads: 1, options: { Hash: 1 }, rules: RULES },
  ],
  "Engine.setOptions": [(...args) => engine.setOptions(...args), { Hash: 2 }],
  "Engine.command": [(...args) => engine.command(...args), "eval", RULES, POSITION],
  "Engine.analyse": [
    (...args) => engine.analyse(...args).result,
    RULES,
    POSITION,
    LIMITS,
    { options: { MultiPV: 1 } },
  ],
  "Engine.bestMove": [(...args) => engine.bestMove(...args), RULES, POSITION, LIMITS, { MultiPV: 1 }],
  "Engine.probe": [(...args) => engine.probe(...args), RULES, POSITION],
  "Rules.create": [(...args) => Rules.create(...args), { games: false }],
  "Rules.layout": [(...args) => rules.layout(...args), RULES],
  "Rules.parts": [(...args) => rules.parts(...args), RULES, "d6"],
  "Rules.fen": [(...args) => rules.fen(...args), RULES, SETUP],
  "Rules.state": [(...args) => rules.state(...args), RULES, POSITION],
  "Rules.readGames": [(...args) => rules.readGames(...args), "d6 f4", RULES],
  "Rules.splitGames": [(...args) => [...rules.splitGames(...args)], "d6 f4"],
  "Rules.writeGame": [(...args) => rules.writeGame(...args), GAME, "record"],
  "Rules.facts": [(...args) => rules.facts(...args), RULES, POSITION, "f4", [{ cp: 30 }, { mate: 3 }]],
  "Rules.fact": [(...args) => rules.fact(...args), RULES, POSITION, "f4", [{ cp: 30 }, { mate: 3 }]],
  "Rules.expectedPoints": [(...args) => rules.expectedPoints(...args), RULES, { cp: 30 }],
  "Rules.randomMove": [(...args) => typeof rules.randomMove(...args), RULES, POSITION],
  "Rules.text": [(...args) => rules.text(...args), RULES, "en"],
  "Rules.hasPack": [(...args) => rules.hasPack(...args), RULES],
  "Rules.keep": [(...args) => rules.keep(...args), RULES, { threads: 1, tables: true }],
  "Game.constructor": [(...args) => new Game(rules, ...args).toText(), { ...RULES, white: "A" }],
  "Game.read": [(...args) => Game.read(rules, ...args).moves, "d6 f4", RULES],
  "Game.play": [(...args) => new Game(rules, RULES).play(...args), "d6"],
  "Game.resign": [(...args) => new Game(rules, RULES).resign(...args), "white"],
  "Game.write": [(...args) => new Game(rules, RULES).write(...args), "record"],
};

/** Returns the public calls of a class that have arguments, as its types declare them. */
function declared(name) {
  const types = readFileSync(new URL(`../dist/${name.toLowerCase()}.d.ts`, import.meta.url), "utf8");
  const body = types.slice(types.indexOf(`export declare class ${name} `));
  return [...body.matchAll(/^ {4}(?:static )?(\w+)\((?!\))/gm)].map(([, call]) => `${name}.${call}`);
}

test("the list has every call that takes something", () => {
  const calls = ["Engine", "Rules", "Game"].flatMap(declared);
  assert.ok(calls.length > 15);
  assert.deepEqual(Object.keys(CALLS).sort(), calls.sort());
});

/** Yields the paths to all values of a kind. */
function* paths(value, isWanted, path = []) {
  if (isWanted(value)) yield path;
  if (typeof value === "object" && value !== null)
    for (const key of Object.keys(value)) yield* paths(value[key], isWanted, [...path, key]);
}

/** Returns a copy with another value at a path. */
function changed(value, path, change) {
  const copy = structuredClone(value);
  const parent = path.slice(0, -1).reduce((at, key) => at[key], copy);
  parent[path.at(-1)] = change(parent[path.at(-1)]);
  return copy;
}

/** Unknown rules of a text are reported as faults of the text. */
const isRefusal = (error, path) =>
  error instanceof EngineError || (error instanceof NotationError && path.includes("options"));

const called = async (call, args) => call(...args);
/** Numbers that may be negative; the engine checks the other ranges. */
const SIGNED = ["cp", "mate"];
const isNumber = (value) => typeof value === "number";
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

for (const [name, [call, ...args]] of Object.entries(CALLS)) {
  test(`${name} refuses what is no number, and takes whole parts`, { timeout: 120_000 }, async () => {
    const right = await called(call, args);
    for (const path of paths(args, isNumber)) {
      const key = path.at(-1);
      const isMate = key === "mate" && name.startsWith("Rules.");
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1, -0.5, "7", null, undefined, {}]) {
        const isFine = (bad === -1 || bad === -0.5) && (key === "cp" || isMate);
        // As if it were absent.
        if (isFine || (bad === undefined && ["threads", "time"].includes(key))) continue;
        // The engine checks its own options.
        if ((bad === "7" || bad === -0.5) && path.at(-2) === "options") continue;
        if ((bad === "7" || bad === -0.5) && (name === "Engine.setOptions" || path[0] === "3")) continue;
        const refused = called(call, changed(args, path, () => bad));
        await assert.rejects(refused, (error) => {
          const reported = `${name} ${path.join(".")} ${bad}: ${error}`;
          assert.ok(isRefusal(error, path), reported);
          assert.match(error.message, new RegExp(`\\b${key}\\b.*expected`), reported);
          return true;
        });
      }
      if (SIGNED.includes(key) && !isMate) continue;
      const more = changed(args, path, (number) => number + 0.7);
      const answer = await called(call, more);
      if (!name.startsWith("Engine.")) assert.deepEqual(answer, right, path.join("."));
    }
  });

  test(`${name} refuses a key that it does not know`, { timeout: 120_000 }, async () => {
    for (const path of paths(args, isRecord)) {
      const refused = called(call, changed(args, path, (value) => ({ ...value, moveTime: 3 })));
      await assert.rejects(refused, (error) => {
        const reported = `${name} ${path.join(".")}: ${error}`;
        assert.ok(isRefusal(error, path), reported);
        assert.match(error.message, /moveTime/, reported);
        return true;
      });
    }
    await called(call, args);
  });
}

test("a search that would never end by itself is for those who can stop it", async () => {
  for (const limits of [{}, { winc: 5 }, { movestogo: 3, searchmoves: ["d6"] }])
    await assert.rejects(engine.bestMove(RULES, {}, limits), /^EngineError: no limit, expected one of depth, nodes, /);
  await assert.rejects(engine.bestMove(RULES, {}), /limits is undefined/);
  // A clock of the other side also ends it.
  for (const limits of [{ movetime: 100 / 30 }, { wtime: 50.5 }, { btime: 50.5 }])
    assert.match((await engine.bestMove(RULES, POSITION, limits)).move, /^[a-g][1-7]$/);
});

test("what is refused changes nothing", async () => {
  const asked = engine.command("d", RULES, POSITION);
  const before = await asked;
  await assert.rejects(engine.analyse({ variant: "smess" }, {}, { depth: Number.NaN }).result, EngineError);
  assert.deepEqual(await engine.command("d", RULES, POSITION), before);
  assert.throws(() => rules.state({ variant: "mlyn", option: {} }), /unknown "option" in rules, expected one of/);
  assert.throws(() => rules.text(RULES, "xx"), /language is "xx", expected one of en, de, sk/);
});

test("a text with a line break is no line", () => {
  const lines = [
    () => goLine({ depth: 1, searchmoves: ["d6\nquit"] }),
    () => optionLines({ Hash: "2\nquit" }),
    () => optionLines({ "Hash\r": 2 }),
    () => positionLine({ fen: "3/3\nquit" }),
    () => positionLine({ moves: ["d6\nquit"] }),
    () => rulesLines({ variant: "morris\nquit" }),
  ];
  for (const line of lines) assert.throws(line, /has a line break, expected one line/);
});

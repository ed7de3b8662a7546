import { Rules, VARIANTS } from "millbrain";
import { beforeAll, expect, test } from "vitest";
import { readGames } from "../src/game/import.js";
import { readRecords, startFen, writeRecord } from "../src/game/record.js";
import { readSanmill, writeSanmill } from "../src/game/sanmill.js";
import { readSgf, writeSgf } from "../src/game/sgf.js";
import { readLink, writeLink } from "../src/game/share.js";
import type { GameText } from "../src/game/text.js";
import { line, play } from "../src/game/tree.js";
import {
  houseRules,
  inForce,
  readOptions,
  ruleset,
  variantOptions,
  writeOptions,
} from "../src/game/variants.js";

let rules: Rules;
beforeAll(async () => {
  rules = await Rules.create();
});

const MOVES = ["a7", "d2", "d7", "d1", "g7xd1", "b4"];

test("records are exactly those of the match runner", () => {
  const game: GameText = {
    variant: "morris",
    white: "A",
    black: 'B "quoted" \\',
    whiteTime: "1+0.01",
    blackTime: "nodes 1000",
    fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1",
    moves: [
      { move: "e3e4" },
      { move: "d7c5", time: 0 },
      { move: "e4g4", time: 12, said: { score: { mate: -2 }, depth: 9 } },
      { move: "c5a1xd3", time: 3, said: { score: { mate: 1 }, depth: 1 } },
    ],
    outcome: "white",
    reason: "fewer than three stones",
  };
  expect(writeRecord(game)).toBe(`[Event "millbrain match"]
[Game "1"]
[Round "1"]
[White "A"]
[Black "B \\"quoted\\" \\\\"]
[Result "1-0"]
[Variant "morris"]
[FEN "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1"]
[WhiteTimeControl "1+0.01"]
[BlackTimeControl "nodes 1000"]
[PlyCount "4"]
[Termination "normal"]
[Reason "fewer than three stones"]

1... e3e4 {book}
2. d7c5 {0ms} e4g4 {-M2/9 12ms}
3. c5a1xd3 {+M1/1 3ms} 1-0

`);
  const [read] = readRecords(writeRecord(game) + writeRecord(game));
  const { whiteTime: _, blackTime: __, ...rest } = game;
  expect(read).toEqual({ ...rest, options: {} });
});

test("records keep resignations, open games and house rules", () => {
  const open: GameText = {
    variant: "lasker",
    options: { Flying: false },
    white: "a",
    black: "b",
    moves: [{ move: "d6", time: 5 }],
  };
  const text = writeRecord(open);
  expect(text).toContain('[Termination "adjudication"]\n[Reason "unfinished"]\n[HouseRules "Flying=false"]');
  expect(text).toContain("3/3/3/6/3/3/3 w 10 10 0 1");
  expect(readRecords(text)).toEqual([open]);
  const resigned: GameText = { ...open, outcome: "black", resigned: "white", reason: "white resigns" };
  expect(readRecords(writeRecord(resigned))).toEqual([resigned]);
  expect(() => readRecords("d6 f4")).toThrow("expected [NAME");
  expect(() => readRecords('[Variant "chess"]\n\nd6')).toThrow('variant "chess"');
});

test("the starts of all games are those of the engine", () => {
  for (const variant of VARIANTS) {
    const stones = Number(inForce({ variant })["Stones"] ?? 0);
    expect(startFen(variant, stones)).toBe(rules.state({ variant }).fen);
  }
});

test("the rule options of the variants are those of the engine", () => {
  const advertised = new Map(rules.options().map((option) => [option.name, option]));
  for (const variant of VARIANTS) {
    for (const [name, value] of Object.entries(variantOptions(variant))) {
      expect(advertised.has(name), name).toBe(true);
      // Saying what holds anyway changes nothing: the rules in words are the same.
      expect(rules.text({ variant, options: { [name]: value } }, "en")).toEqual(
        rules.text({ variant }, "en"),
      );
    }
  }
});

test("house rules are what differs", () => {
  expect(houseRules("mlyn", variantOptions("mlyn"))).toEqual({});
  expect(houseRules("mlyn", variantOptions("morris"))).toEqual({ Flying: true });
  const options = { Stones: 7, Removal: "never" };
  expect(readOptions("morris", writeOptions(options))).toEqual(options);
  expect(readOptions("morris", "stones=7;Speed=9;Flying=true;rubbish")).toEqual({ Stones: 7 });
  expect(readOptions("smess", "Stones=7")).toEqual({});
});

test("Sanmill's lists go there and back", () => {
  const moves = ["d6", "f4", "a4a7", "d7xg1", "a7a4xb2"];
  const text = writeSanmill(moves);
  expect(text).toBe("1.    d6    f4\n2.    a4-a7    d7 xg1\n3.    a7-a4 xb2\n");
  expect(readSanmill(text)).toEqual(moves);
  expect(readSanmill("1. d6 f4 2.a4-a7xg1 *")).toEqual(["d6", "f4", "a4a7xg1"]);
  expect(() => readSanmill("d6 castles")).toThrow('"castles"');
  expect(() => readSanmill("xg1")).toThrow("after a move");
});

test("SGF keeps variations, positions, rules and results", () => {
  let [tree] = line(MOVES);
  [tree] = play(tree, 2, "g7");
  const game: GameText = {
    variant: "morris",
    options: { Flying: false },
    white: "An]na",
    black: "Bob",
    moves: MOVES.map((move) => ({ move })),
    outcome: "black",
    resigned: "white",
    reason: "white resigns",
  };
  const text = writeSgf(game, tree);
  expect(text).toContain("GM[5]");
  expect(text).toContain("RU[morris;Flying=false]");
  const read = readSgf(text);
  expect(read.game).toEqual(game);
  expect(read.tree).toEqual(tree);
  const set = { ...game, fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1" };
  const other = writeSgf(set, line(["e3e4"])[0]);
  expect(other).toContain("PL[B]AW[a7][d7][a4]AB[c4][d3][e3];B[e3e4]");
  expect(readSgf(other).game.fen).toBe(set.fen);
  expect(() => readSgf("(;GM[1])")).toThrow("expected 5");
  expect(() => readSgf("(;GM[5]W[d6]")).toThrow("expected )");
});

test("links hold rules, position and moves", () => {
  const plain = { rules: ruleset("morris"), moves: ["d6", "f4"] };
  expect(writeLink(plain)).toBe("#v=morris&m=d6,f4");
  expect(readLink("#v=morris&m=d6,f4")).toEqual(plain);
  const full = {
    rules: ruleset("mlyn", { ...variantOptions("mlyn"), Stones: 7, "No Mill Draw": 30 }),
    fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1",
    moves: ["e3e4"],
  };
  expect(readLink(writeLink(full))).toEqual(full);
  expect(readLink("#v=chess")).toBeUndefined();
  expect(readLink("")).toBeUndefined();
  expect(readLink("#v=morris&f=%zz")).toBeUndefined();
});

test("texts are read in whichever format they are", () => {
  const game: GameText = {
    variant: "morris",
    white: "a",
    black: "b",
    moves: MOVES.map((move) => ({ move })),
  };
  const [tree] = line(MOVES);
  for (const [format, text] of [
    ["record", writeRecord(game)],
    ["sgf", writeSgf(game, tree)],
    ["sanmill", writeSanmill(MOVES)],
  ] as const) {
    const read = readGames(text, { variant: "morris" });
    expect(read.format).toBe(format);
    expect(read.games[0]?.game.moves.map(({ move }) => move)).toEqual(MOVES);
  }
  expect(() => readGames("  ", { variant: "morris" })).toThrow();
});

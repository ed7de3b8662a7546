import { Rules, type Ruleset, VARIANTS } from "millbrain";
import { beforeAll, expect, test } from "vitest";
import { de } from "../src/i18n/de.js";
import { en } from "../src/i18n/en.js";
import { sk } from "../src/i18n/sk.js";
import { readGames } from "../src/game/import.js";
import { readRecords, startFen, writeRecord } from "../src/game/record.js";
import { readSanmill, writeSanmill } from "../src/game/sanmill.js";
import { readSgf, writeSgf } from "../src/game/sgf.js";
import { readLink, writeLink } from "../src/game/share.js";
import {
  type GameEnd,
  type GameText,
  ofRules,
  OUTCOMES,
  REASONS,
  resignation,
  SIDES,
  TERMINATIONS,
} from "../src/game/text.js";
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
    end: { outcome: "white", reason: "fewer than three stones", termination: "normal" },
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

test("records keep open games and house rules", () => {
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
  expect(() => readRecords("d6 f4")).toThrow("expected [NAME");
  expect(() => readRecords('[Variant "chess"]\n\nd6')).toThrow('The game "chess" is not known here');
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
  expect(() => readSanmill("xg1")).toThrow("before the first move");
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
    end: resignation("white"),
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
  expect(readLink("")).toBeUndefined();
  expect(readLink("#top")).toBeUndefined();
  expect(() => readLink("#v=chess")).toThrow('"chess" is not known');
  expect(() => readLink("#v=morris&f=%zz")).toThrow("%zz");
  expect(() => readLink("#v=morris&m=d6,castles")).toThrow("move 2");
  expect(() => readLink("#v=morris&o=Stones=many")).toThrow("Stones");
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

/** Every end that a game can have here: by each rule, by resignation, and those of a match; and none. */
const ENDS: readonly (GameEnd | undefined)[] = [
  undefined,
  ...SIDES.map(resignation),
  ...OUTCOMES.flatMap((outcome) => [
    ...REASONS.map((reason) => ({ outcome, reason, termination: "normal" as const })),
    ...TERMINATIONS.map((termination) => ({ outcome, reason: "A was 3 ms late", termination })),
  ]),
];

test("every end of a game comes back from every format that can tell it", () => {
  const [tree] = line(MOVES);
  for (const end of ENDS) {
    const game: GameText = {
      variant: "morris",
      options: {},
      white: "a",
      black: "b",
      moves: MOVES.map((move) => ({ move })),
      ...(end ? { end } : {}),
    };
    expect(readGames(writeRecord(game), { variant: "mlyn" }).games[0]?.game).toEqual(game);
    expect(readGames(writeSgf(game, tree), { variant: "mlyn" }).games[0]?.game).toEqual(game);
  }
});

test("the result of other programs' SGF is read", () => {
  const end = (result: string) => readSgf(`(;GM[5]RE[${result}];W[d6])`).game.end;
  expect(end("W+R")).toEqual(resignation("black"));
  expect(end("b+Resign")).toEqual(resignation("white"));
  expect(end("B+T")).toEqual({ outcome: "black", reason: "", termination: "time forfeit" });
  expect(end("W+Time")).toEqual({ outcome: "white", reason: "", termination: "time forfeit" });
  expect(end("W+F")).toEqual({ outcome: "white", reason: "", termination: "adjudication" });
  expect(end("Draw")).toEqual({ outcome: "draw", reason: "", termination: "normal" });
  expect([end("?"), end("Void"), end("")]).toEqual([undefined, undefined, undefined]);
});

test("moves are read however they are written, and nothing else is", () => {
  const texts = [
    '[Variant "morris"]\n\n1. D6 {book} f4\n2. a4-A7-Xg1 *',
    "(;GM[5];W[D6];B[f4];W[a4-a7-xg1])",
    "D6 f4 a4-a7xG1",
  ];
  for (const text of texts) {
    const [read] = readGames(text, { variant: "morris" }).games;
    expect(read?.game.moves.map(({ move }) => move)).toEqual(["d6", "f4", "a4a7xg1"]);
    expect(read?.tree.nodes.slice(1).map(({ move }) => move)).toEqual(["d6", "f4", "a4a7xg1"]);
  }
  expect(readLink("#v=morris&m=D6,a4-a7")?.moves).toEqual(["d6", "a4a7"]);
  for (const text of ['[Variant "morris"]\n\n1. d6 h9 *', "(;GM[5];W[d6];B[h9])"]) {
    expect(() => readGames(text, { variant: "morris" })).toThrow('move 2 ("h9")');
  }
});

type Reason = (typeof REASONS)[number];

/** Where each ending by the rules is near: moves that lead there, or so few of them that all are tried. */
const NEAR: Record<Reason, { rules: Ruleset; fen?: string; moves?: string[] }> = {
  "fewer than three stones": {
    rules: { variant: "morris" },
    fen: "OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1",
    moves: ["a4g7xc4"],
  },
  "no legal move": { rules: { variant: "mlyn" }, fen: "XXX/OXO/O2/O4O/3/3/3 w 0 0 0 1", moves: ["c5d5"] },
  "the board is full": {
    rules: ruleset("morris", { ...variantOptions("morris"), Stones: 12 }),
    fen: "OXO/XOX/OXX/XOXOOX/XXO/OXO/1OX w 1 0 0 12",
  },
  "Brain captured": { rules: { variant: "smess" }, fen: "3b3/2SSS2/2SSS2/7/7/7/7/3B3 w 0 1" },
  "only the two Brains are left": {
    rules: { variant: "smess" },
    fen: "bBn4/7/7/7/7/7/7/7 w 0 1",
    moves: ["b8c8"],
  },
  "threefold repetition": {
    rules: { variant: "morris" },
    fen: "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1",
    moves: ["a7d7", "g1g4", "d7a7", "g4g1", "a7d7", "g1g4", "d7a7", "g4g1"],
  },
  "move counter": {
    rules: ruleset("morris", { ...variantOptions("morris"), "No Mill Draw": 2 }),
    fen: "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1",
    moves: ["a7d7", "g1g4"],
  },
};

/** The moves that lead to an ending, the shortest first. */
function reach(reason: Reason): string[] {
  const { rules: set, fen, moves } = NEAR[reason];
  if (moves) return moves;
  let lines: string[][] = [[]];
  for (let depth = 0; depth < 7; depth++) {
    const next: string[][] = [];
    for (const line of lines) {
      const state = rules.state(set, { fen, moves: line });
      if (state.ending?.reason === reason) return line;
      if (!state.ending) next.push(...state.moves.map((move) => [...line, move]));
    }
    lines = next.slice(0, 2000);
  }
  throw new Error(`${reason} is not reached`);
}

test("every ending by the rules is the same after every format", () => {
  for (const reason of REASONS) {
    const { rules: set, fen } = NEAR[reason];
    const moves = reach(reason);
    const { ending } = rules.state(set, { fen, moves });
    expect(ending?.reason).toBe(reason);
    const game: GameText = {
      variant: set.variant,
      options: set.options ?? {},
      white: "a",
      black: "b",
      moves: moves.map((move) => ({ move })),
      end: ofRules(ending!),
      ...(fen ? { fen } : {}),
    };
    const texts = [writeRecord(game)];
    if (set.variant !== "smess") texts.push(writeSgf(game, line(moves)[0]));
    for (const text of texts) {
      const read = readGames(text, set).games[0]!.game;
      expect(read).toEqual(game);
      const again = { fen: read.fen, moves: read.moves.map(({ move }) => move) };
      expect(rules.state(ruleset(read.variant, read.options), again).ending).toEqual(ending);
    }
    for (const dictionary of [en, de, sk]) expect(dictionary[`reason.${reason}`]).not.toBe("");
    if (set.variant === "smess") continue;
    const list = readGames(writeSanmill(moves), set).games[0]!.game;
    expect(rules.state(set, { fen, moves: list.moves.map(({ move }) => move) }).ending).toEqual(ending);
    const link = readLink(writeLink({ rules: set, moves, ...(fen ? { fen } : {}) }));
    expect(rules.state(link!.rules, { fen: link!.fen, moves: link!.moves }).ending).toEqual(ending);
  }
});

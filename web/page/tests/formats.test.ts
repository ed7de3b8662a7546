import fc from "fast-check";
import {
  Engine,
  type GameEnd,
  type GameFormat,
  type GameNode,
  type GameText,
  type Rules,
  type Ruleset,
} from "millbrain";
import { beforeAll, expect, test } from "vitest";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { loadGameTexts, textOf } from "../src/i18n/games.js";
import { LANGS } from "../src/i18n/langs.js";
import { readLink, writeLink } from "../src/game/share.js";
import {
  lineOf,
  nodesOf,
  ofRules,
  OUTCOMES,
  resignation,
  SIDES,
  TERMINATIONS,
  treeOf,
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
  await Promise.all([loadRules(), ...LANGS.map(loadGameTexts)]);
  rules = engineRules();
});

const MORRIS: Ruleset = { variant: "morris" };

const startOf = (variant: string) => rules.state({ variant }).fen;

/** Returns the nodes of a single line. */
const nodes = (moves: readonly string[]) => lineOf(moves.map((move) => ({ move })));

const write = (game: GameText, format: GameFormat = "record") => rules.writeGame(game, format);
const read = (text: string, set: Ruleset = MORRIS) => rules.readGames(text, set).games;
const movesOf = (game: GameText | undefined) => game?.nodes.map(({ move }) => move);

/** Returns a list in Sanmill's format. */
const sanmill = (moves: readonly string[], set: Ruleset = MORRIS) =>
  write({ ...set, white: "", black: "", nodes: nodes(moves) }, "sanmill");
const readList = (text: string) => movesOf(read(text)[0]);

const MOVES = ["a7", "d2", "d7", "d1", "g7xd1", "b4"];

test("records are exactly those of the match runner", () => {
  const game: GameText = {
    variant: "morris",
    white: "A",
    black: 'B "quoted" \\',
    times: ["1+0.01", "nodes 1000"],
    fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1",
    nodes: lineOf([
      { move: "e3e4" },
      { move: "d7c5", time: 0 },
      { move: "e4g4", time: 12, said: { score: { mate: -2 }, depth: 9 } },
      { move: "c5a1xd3", time: 3, said: { score: { mate: 1 }, depth: 1 } },
    ]),
    end: { outcome: "white", reason: "few-stones", termination: "normal" },
  };
  expect(write(game)).toBe(`[Event "millbrain match"]
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
[Reason "few-stones"]

1... e3e4 {book}
2. d7c5 {0ms} e4g4 {-M2/9 12ms}
3. c5a1xd3 {+M1/1 3ms} 1-0

`);
  const same = { ...game, options: {} };
  expect(read(write(game) + write(game))).toEqual([same, same]);
});

test("records keep open games and house rules", () => {
  const open: GameText = {
    variant: "lasker",
    options: { Flying: false },
    white: "a",
    black: "b",
    nodes: lineOf([{ move: "d6", time: 5 }]),
  };
  const text = write(open);
  expect(text).toContain('[Result "*"]');
  expect(text).toContain('[Termination "unterminated"]');
  expect(text).toContain('[HouseRules "Flying=false"]');
  expect(text).toContain("3/3/3/6/3/3/3 w 10 10 0 1");
  expect(read(text)).toEqual([open]);
  // An unknown variant is read with the current rules, with a note.
  expect(read('[Variant "chess"]\n\nd6')[0]?.variant).toBe("morris");
});

test("a record tells where its game begins", () => {
  const game = { white: "", black: "", nodes: [] };
  for (const { name: variant, start } of rules.variants()) {
    expect(write({ ...game, variant })).toContain(`[FEN "${start}"]`);
    expect(read(write({ ...game, variant }))[0]).not.toHaveProperty("fen");
  }
  const house = write({ ...game, variant: "lasker", options: { Stones: 7 } });
  expect(house).toContain("w 7 7 0 1");
  expect(read(house)[0]).not.toHaveProperty("fen");
});

test("the rule options of the variants are those of the engine", async () => {
  const engine = await Engine.create();
  const advertised = new Set(engine.options.map(({ name }) => name));
  engine.close();
  for (const { name: variant } of rules.variants()) {
    for (const [name, value] of Object.entries(variantOptions(variant))) {
      expect(advertised.has(name), name).toBe(true);
      // Setting a default value changes nothing: the description of the rules is the same.
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
  expect(readOptions("morris", "stones=7;;Flying=true; ")).toEqual({ Stones: 7 });
  for (const [variant, text, reported] of [
    ["morris", "stones=7;Speed=9", '"Speed=9" is no rule of morris'],
    ["morris", "Stones=7;rubbish", '"rubbish" is no rule'],
    ["morris", "=3", '"=3" is no rule'],
    ["smess", "Stones=7", '"Stones=7" is no rule of smess'],
  ] as const)
    expect(() => readOptions(variant, text), text).toThrow(reported);
});

test("Sanmill's lists go there and back", () => {
  const moves = [...MOVES, "f4", "e5"];
  const text = sanmill(moves);
  expect(text).toBe("1.    a7    d2\n2.    d7    d1\n3.    g7 xd1    b4\n4.    f4    e5\n");
  expect(readList(text)).toEqual(moves);
  expect(readList("1. a7 d2 2.d7 d1 3. g7xd1 *")).toEqual(MOVES.slice(0, 5));
  expect(() => readList("d6 castles")).toThrow("move 2 (castles)");
  expect(() => readList("xg1")).toThrow("before the first move");
});

test("SGF keeps variations, positions, rules and results", () => {
  let [tree] = line(MOVES);
  [tree] = play(tree, 2, "g7");
  const game: GameText = {
    variant: "morris",
    options: { Flying: false },
    white: "An]na",
    black: "Bob",
    nodes: nodesOf(tree),
    end: resignation("white"),
  };
  const text = write(game, "sgf");
  expect(text).toContain("GM[5]");
  expect(text).toContain("RU[morris;Flying=false]");
  expect(read(text)).toEqual([game]);
  expect(treeOf(game).nodes.map(({ move }) => move)).toEqual(["", ...MOVES, "g7"]);
  const set = { ...game, fen: "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1" };
  const other = write({ ...set, nodes: nodes(["e3e4"]) }, "sgf");
  expect(other).toContain("PL[B]AW[a7][d7][a4]AB[c4][d3][e3];B[e3e4]");
  expect(read(other)[0]?.fen).toBe(set.fen);
  expect(() => read("(;GM[1])")).toThrow("expected 5");
  expect(() => read("(;GM[5]W[d6]")).toThrow("expected ')'");
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
    nodes: nodes(MOVES),
  };
  for (const format of ["record", "sgf", "sanmill"] as const) {
    const found = rules.readGames(write(game, format), MORRIS);
    expect(found.format).toBe(format);
    expect(movesOf(found.games[0])).toEqual(MOVES);
  }
  expect(() => read("  ")).toThrow("no moves");
});

/** The endings by the rules, and their text in earlier records. */
const ENDINGS = {
  "few-stones": "fewer than three stones",
  "no-moves": "no legal move",
  "full-board": "the board is full",
  "brain-captured": "Brain captured",
  "only-brains": "only the two Brains are left",
  repetition: "threefold repetition",
  "no-progress": "move counter",
} as const;
type Reason = keyof typeof ENDINGS;
const REASONS = Object.keys(ENDINGS) as Reason[];

/** All possible ends of a game: by each rule, by resignation, and those of a match; and none. */
const ENDS: readonly (GameEnd | undefined)[] = [
  undefined,
  ...SIDES.map(resignation),
  ...OUTCOMES.filter((outcome) => outcome !== "none").flatMap((outcome) => [
    ...REASONS.map((reason) => ({ outcome, reason, termination: "normal" as const })),
    ...TERMINATIONS.filter((name) => name !== "unterminated").map((termination) => ({
      outcome,
      reason: "A was 3 ms late",
      termination,
    })),
  ]),
];

test("every end of a game comes back from every format that can tell it", () => {
  for (const end of ENDS) {
    const game: GameText = {
      variant: "morris",
      options: {},
      white: "a",
      black: "b",
      nodes: nodes(MOVES),
      ...(end ? { end } : {}),
    };
    // The reason of an end is unknown if the moves do not show the end by the rules.
    const expected =
      end?.termination === "normal" ? { ...game, end: { ...end, termination: "unknown" as const } } : game;
    for (const format of ["record", "pgn", "sgf"] as const)
      expect(read(write(game, format), { variant: "mlyn" })).toEqual([expected]);
  }
});

test("the result of other programs' SGF is read", () => {
  const end = (result: string) => read(`(;GM[5]RE[${result}];W[d6])`)[0]?.end;
  for (const [result, outcome] of [
    ["W+R", "white"],
    ["b+Resign", "black"],
  ] as const)
    expect(end(result)).toEqual({ outcome, reason: "", termination: "resignation" });
  expect(end("B+T")).toEqual({ outcome: "black", reason: "", termination: "time forfeit" });
  expect(end("W+Time")).toEqual({ outcome: "white", reason: "", termination: "time forfeit" });
  expect(end("W+F")).toEqual({ outcome: "white", reason: "", termination: "abandoned" });
  expect(end("Draw")).toEqual({ outcome: "draw", reason: "", termination: "unknown" });
  expect([end("?"), end("Void"), end("")]).toEqual([undefined, undefined, undefined]);
});

test("moves are read however they are written, and nothing else is", () => {
  const texts = [
    '[Variant "morris"]\n\n1. A7 {book} d2\n2. D7 d1 3. G7-Xd1 *',
    "(;GM[5];W[A7];B[d2];W[D7];B[d1];W[g7-xd1])",
    "A7 d2 D7 d1 g7xD1",
  ];
  for (const text of texts) expect(movesOf(read(text)[0])).toEqual(MOVES.slice(0, 5));
  expect(readLink("#v=morris&m=D6,a4-a7")?.moves).toEqual(["d6", "a4a7"]);
  for (const text of ['[Variant "morris"]\n\n1. d6 h9 *', "(;GM[5];W[d6];B[h9])", "d6 h9"]) {
    expect(() => read(text), text).toThrow("move 2 (h9)");
  }
});

/** A start near each ending by the rules: moves that lead there, or few enough moves to try all. */
const NEAR: Record<Reason, { rules: Ruleset; fen?: string; moves?: string[] }> = {
  "few-stones": {
    rules: { variant: "morris" },
    fen: "OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1",
    moves: ["a4g7xc4"],
  },
  "no-moves": { rules: { variant: "mlyn" }, fen: "XXX/OXO/O2/O4O/3/3/3 w 0 0 0 1", moves: ["c5d5"] },
  "full-board": {
    rules: { variant: "morris", options: { Stones: 12 } },
    fen: "OXO/XOX/OXX/XOXOOX/XXO/OXO/1OX w 1 0 0 12",
  },
  "brain-captured": { rules: { variant: "smess" }, fen: "3b3/2SSS2/2SSS2/7/7/7/7/3B3 w 0 1" },
  "only-brains": {
    rules: { variant: "smess" },
    fen: "bBn4/7/7/7/7/7/7/7 w 0 1",
    moves: ["b8c8"],
  },
  repetition: {
    rules: { variant: "morris" },
    fen: "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1",
    moves: ["a7d7", "g1g4", "d7a7", "g4g1", "a7d7", "g1g4", "d7a7", "g4g1"],
  },
  "no-progress": {
    rules: { variant: "morris", options: { "No Mill Draw": 2 } },
    fen: "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1",
    moves: ["a7d7", "g1g4"],
  },
};

/** Returns the moves that lead to an ending, shortest first. */
function reach(reason: Reason): string[] {
  const { rules: set, fen, moves } = NEAR[reason];
  if (moves) return moves;
  let lines: string[][] = [[]];
  for (let depth = 0; depth < 7; depth++) {
    const next: string[][] = [];
    for (const line of lines) {
      const state = rules.state(set, { fen, moves: line });
      if (state.ending?.id === reason) return line;
      if (!state.ending) next.push(...state.moves.map(({ text }) => [...line, text]));
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
    expect([ending?.id, ending?.reason]).toEqual([reason, ENDINGS[reason]]);
    for (const lang of LANGS) expect(textOf("ending", reason, lang)).toBeTruthy();
    const game: GameText = {
      variant: set.variant,
      options: set.options ?? {},
      white: "a",
      black: "b",
      nodes: nodes(moves),
      end: ofRules(ending!),
      ...(fen ? { fen } : {}),
    };
    const texts = [write(game)];
    if (set.variant !== "smess") texts.push(write(game, "sgf"));
    for (const text of texts) {
      const found = read(text, set)[0]!;
      expect(found).toEqual(game);
      const again = { fen: found.fen, moves: movesOf(found)! };
      expect(rules.state(ruleset(found.variant, found.options), again).ending).toEqual(ending);
    }
    if (set.variant === "smess") continue;
    const list = read(write(game, "sanmill"), set)[0]!;
    expect(rules.state(set, { fen: list.fen, moves: movesOf(list)! }).ending).toEqual(ending);
    const link = readLink(writeLink({ rules: set, moves, ...(fen ? { fen } : {}) }));
    expect(rules.state(link!.rules, { fen: link!.fen, moves: link!.moves }).ending).toEqual(ending);
  }
});

test("records are read with all that others leave out or write otherwise", () => {
  const text = `\uFEFF\r
[Variant "morabaraba"]  \r
[White "a \\"b\\" \\\\"]\r
[FEN "3/3/3/6/3/3/3 w 12 12 0 1"]\r
[Result "1/2-1/2"]\r
[Termination "rain"]\r
[Reason "agreed"]\r
\r
1. d6 {+0.35/12 1250ms} f4 {-M12/3 70ms late}\r
2. d2 {what/9 5ms} b4 {a word} 1/2-1/2 *\r
\r

[Variant "smess"]
[FEN "${startOf("smess")}"]

1. d2d3 {+1.00 4ms} {ignored}
d7d6 {-0.50/10 6ms}`;
  expect(read(text)).toEqual([
    {
      variant: "morabaraba",
      options: {},
      white: 'a "b" \\',
      black: "",
      nodes: lineOf([
        { move: "d6", time: 1250, said: { score: { cp: 35 }, depth: 12 } },
        { move: "f4", said: { score: { mate: -12 }, depth: 3 } },
        { move: "d2" },
        { move: "b4" },
      ]).map((node, i) => (i < 2 ? node : { ...node, comment: ["what/9 5ms", "a word"][i - 2] })),
      end: { outcome: "draw", reason: "agreed; rain", termination: "unknown" },
    },
    {
      variant: "smess",
      options: {},
      white: "",
      black: "",
      nodes: lineOf([
        { move: "d2d3", time: 4 },
        { move: "d7d6", time: 6, said: { score: { cp: -50 }, depth: 10 } },
      ]).map((node, i) => (i > 0 ? node : { ...node, comment: "ignored" })),
    },
  ]);
  for (const bad of ['[White"a"]', "[White a]"]) {
    const found = rules.readGames(`${bad}\n[Variant "morris"]\n\nd6`, MORRIS);
    expect([found.games.length, found.faults?.[0]?.message], bad).toEqual([
      1,
      expect.stringContaining("expected [NAME"),
    ]);
  }
});

test("a result is an end", () => {
  const end = (result: string, reason: string) =>
    read(`[Variant "morris"]\n[Result "${result}"]\n[Reason "${reason}"]\n\nd6`)[0]?.end;
  expect(end("1/2-1/2", "unfinished")?.outcome).toBe("draw");
  expect(end("*", "no legal move")).toBeUndefined();
  expect(end("1-0", "unfinished")?.outcome).toBe("white");
  expect(end("0-1", "")).toEqual({ outcome: "black", reason: "", termination: "unknown" });
});

test("a record counts moves from the side that begins, and says what it is without", () => {
  const plain: GameText = { variant: "smess", white: "a\tb", black: "", nodes: nodes(["d2d3"]) };
  const text = write(plain);
  expect(text).toContain('[White "a b"]\n[Black "?"]');
  expect(text).toContain('[Result "*"]\n[Variant "smess"]');
  expect(text).toContain(`[FEN "${startOf("smess")}"]`);
  expect(text).toContain('[WhiteTimeControl "-"]\n[BlackTimeControl "-"]\n[PlyCount "1"]');
  expect(text).not.toContain("HouseRules");
  expect(text).toMatch(/\n\n1\. d2d3 \*\n\n$/);
  const four = write({
    ...plain,
    variant: "morris",
    nodes: lineOf(MOVES.map((move) => ({ move, time: 1.6 }))),
  });
  expect(four).toContain("1. a7 {2ms} d2 {2ms}\n2. d7 {2ms} d1 {2ms}\n3. g7xd1 {2ms} b4 {2ms}\n*");
  const black = write({ ...plain, variant: "morris", fen: "O2/3/3/6/3/3/3 b 8 9 0 1", nodes: nodes(["d6"]) });
  expect(black).toContain("1... d6\n*");
});

test("times, scores and words of imported games come to their moves", () => {
  const text = '[Event "x"]\n[Variant "mlyn"]\n\n1. d6 {+0.10/4 20ms} f4 {-M2/1 1ms} d2';
  const { format, games } = rules.readGames(text, MORRIS);
  expect([format, games[0]?.variant]).toEqual(["record", "mlyn"]);
  const tree = treeOf(games[0]!);
  expect(tree.nodes.slice(1).map(({ time, said }) => [time, said])).toEqual([
    [20, { score: { cp: 10 }, depth: 4 }],
    [1, { score: { mate: -2 }, depth: 1 }],
    [undefined, undefined],
  ]);
  expect(Object.keys(tree.nodes[3] ?? {})).not.toContain("time");
  const list = rules.readGames("\uFEFF  d6 f4", { variant: "mlyn", options: { Flying: true } });
  expect(list).toMatchObject({
    format: "sanmill",
    games: [{ variant: "mlyn", options: { Flying: true }, white: "", black: "" }],
  });
  expect(read("d6", { variant: "mlyn" })[0]?.options).toEqual({});
  expect(rules.readGames('[Event "x"]\n[White "y"]\n\n1. d6', { variant: "mlyn" }).format).toBe("pgn");
  expect(() => read('[Event "x"]', { variant: "mlyn" })).toThrow("no moves");
});

test("trees go into games and come back", () => {
  let [tree, at] = line(["d6", "f4", "d7"]);
  [tree] = play(tree, 1, "b4");
  [tree, at] = play(tree, 0, "a7", { time: 7.4, said: { score: { cp: -3 }, depth: 2 } });
  [tree] = play(tree, at, "a4");
  const flat: GameNode[] = nodesOf(tree);
  expect(flat.map(({ parent, move }) => [parent, move])).toEqual([
    [0, "d6"],
    [1, "f4"],
    [2, "d7"],
    [1, "b4"],
    [0, "a7"],
    [5, "a4"],
  ]);
  expect(flat[4]).toEqual({ parent: 0, move: "a7", time: 7, said: { score: { cp: -3 }, depth: 2 } });
  expect(nodesOf(treeOf({ nodes: flat }))).toEqual(flat);
  // The first child of a node is its main line, whatever its number.
  const turned = { nodes: tree.nodes.map((node) => ({ ...node, children: [...node.children].reverse() })) };
  expect(nodesOf(turned).map(({ move }) => move)).toEqual(["a7", "a4", "d6", "b4", "f4", "d7"]);
  expect(nodesOf(treeOf({ nodes: [] }))).toEqual([]);
});

test("words that are no moves are passed over in lists, and nothing else", () => {
  const text = '[White "d6"]\n1. d6, f4 {g7 is\nbetter} 12...d2 1-0 0-1 1/2-1/2 0.5-0.5 *\n';
  expect(readList(text)).toEqual(["d6", "f4", "d2"]);
  expect(readList("a7 d2 d7 d1 g7 XD1 b4")).toEqual(MOVES);
  for (const bad of ["1-01", "x1-0", "xg9", "xg1a", "axg1", "d6.", "1.2."])
    expect(() => readList(`d6 ${bad}`), bad).toThrow(/^move [12] /);
  expect(() => readList("xG1")).toThrow('"xG1" stands before the first move');
  expect(sanmill([])).toBe("");
});

test("moves have the engine's form and no other", () => {
  expect(["a1", "g7", "D6"].map((move) => readList(move)?.[0])).toEqual(["a1", "g7", "d6"]);
  for (const bad of ["h1", "g8", "a9", "a0", "a1b", "a1h1", "a1xh1", "a1b2c3", "a1xb2xb2", "qa1", "a1q"])
    expect(() => readList(bad), bad).toThrow(`move 1 (${bad}) cannot be read`);
});

test("what SGF tells is written in full", () => {
  const game: GameText = { variant: "morris", white: "a\\", black: "b]", nodes: [] };
  const sgf = (more: Partial<GameText> = {}) => write({ ...game, ...more }, "sgf");
  const head = "(;FF[4]GM[5]CA[UTF-8]AP[millbrain]";
  expect(sgf()).toBe(`${head}RU[morris]PW[a\\\\]PB[b\\]]RE[?])\n`);
  const ended = (end: GameEnd) => /RE.*(?=\))/.exec(sgf({ end }))?.[0];
  const reason = "x]";
  const kinds = ["normal", "adjudication", "time forfeit", "illegal move", "crash", "stall"] as const;
  const results = kinds.map((termination) => ended({ outcome: "white", reason, termination }));
  expect(results).toEqual([
    "RE[W+]N[x\\]]",
    "RE[W+]N[x\\]]XT[adjudication]",
    "RE[W+T]N[x\\]]",
    "RE[W+F]N[x\\]]XT[illegal move]",
    "RE[W+F]N[x\\]]XT[crash]",
    "RE[W+F]N[x\\]]XT[stall]",
  ]);
  expect(ended(resignation("white"))).toContain("RE[B+R]");
  expect(ended({ outcome: "draw", reason: "", termination: "adjudication" })).toBe("RE[0]XT[adjudication]");
  let [tree] = line(["g1g4", "d3d2"]);
  [tree] = play(tree, 1, "c4b4");
  const from = sgf({ fen: "OO1/3/3/O1X3/1XX/3/2O w 0 0 0 1", nodes: nodesOf(tree) });
  expect(from).toContain("XF[OO1/3/3/O1X3/1XX/3/2O w 0 0 0 1]PL[W]AW[a7][d7][a4][g1]AB[c4][d3][e3]");
  expect(from.endsWith(";W[g1g4]\n(;B[d3d2])\n(;B[c4b4]))\n")).toBe(true);
  const black = sgf({ fen: "3/3/3/6/3/3/3 b 9 9 0 1", nodes: nodes(["d6", "f4"]) });
  expect(black.slice(black.indexOf("PL"))).toBe("PL[B];B[d6];W[f4])\n");
  expect(sgf({ fen: "X2/3/3/6/3/3/3 w 9 8 0 1" })).toContain("PL[W]AB[a7])");
});

test("every point of the board is in a position that SGF tells", () => {
  const points = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split(" ");
  const game = { variant: "morabaraba", white: "", black: "", nodes: [] };
  const fen = "OOO/OOO/OOO/OOOXXX/XXX/XXX/XXX w 0 0";
  const [, white, black] = /AW(\S+)AB(\S+)\)/.exec(write({ ...game, fen }, "sgf")) ?? [];
  const list = (names: string[]) => names.map((point) => `[${point}]`).join("");
  expect([white, black]).toEqual([list(points.slice(0, 12)), list(points.slice(12))]);
});

test("SGF of other programs is read however it is set", () => {
  const [game] = read(` \n( ; GaMe[5] RU [ Lasker ;Flying=false; Stones=7]
    PW[a\\]b\\\\c]\tPB[ d ] ZZ[a1] [a4]
    ; W [d6] C[a (comment) ; with ] ; B[f4](;W[d2]( ; B[b4]) (;B[g7]) )\n(;W[a7]) ) `);
  expect(() => read("(;GM[5];W[d6];B[];W[f4])")).toThrow("a pass of Black as move 2");
  expect(game).toMatchObject({
    variant: "lasker",
    options: { Stones: 7, Flying: false },
    white: "a]b\\c",
    black: " d ",
  });
  expect(game?.nodes.map(({ parent, move }) => [parent, move])).toEqual([
    [0, "d6"],
    [1, "f4"],
    [2, "d2"],
    [3, "b4"],
    [3, "g7"],
    [2, "a7"],
  ]);
  expect(read("(;)")).toEqual([{ variant: "morris", options: {}, white: "", black: "", nodes: [] }]);
  expect(read("(;GM[5]RU[unheard of];W[d6])")[0]?.variant).toBe("morris");
  const ended = (rest: string) => read(`(;GM[5]${rest})`)[0]?.end;
  expect(ended("RE[W+R]N[x]XT[crash]")).toEqual({ outcome: "white", reason: "x", termination: "crash" });
  expect(ended("RE[ 0 ]N[x]XT[rain]")).toEqual({ outcome: "draw", reason: "x", termination: "unknown" });
  for (const result of ["W", "w+"])
    expect(ended(`RE[${result}]`)).toEqual({ outcome: "white", reason: "", termination: "unknown" });
  expect(ended("RE[D+R]")?.outcome).toBe("draw");
  expect(ended("RE[Black+T]")?.termination).toBe("time forfeit");
  expect(ended("RE[xW+T]")).toBeUndefined();
  for (const [text, words] of [
    ["(;GM", "character 5: expected a value in brackets"],
    ["(;GM[5", "character 8: expected ']'"],
    ["(;GM[5\\", "expected ']'"],
    ["(;GM[5]", "character 8: expected ')'"],
    ["(;GM[5] 7)", "character 9: expected a node"],
    ["(;GM[5](;W[d6])", "character 16: expected ')'"],
    ["(;GM[5]AB[a1])", "expected its FEN"],
  ] as const) {
    expect(() => read(text), text).toThrow(words);
  }
  expect(() => read("(;GM[5];W[d6];B[f4](;W[d2])(;W[h9]))")).toThrow("move 3");
});

test("links survive being pasted, and other parts of addresses are none", () => {
  const fen = "O2/3/3/6/3/3/2X w 8 8 0 1";
  const link = writeLink({
    rules: ruleset("morris", { ...variantOptions("morris"), "No Mill Draw": 30 }),
    fen,
    moves: [],
  });
  expect(link).toBe("#v=morris&o=No_Mill_Draw=30&f=O2/3/3/6/3/3/2X_w_8_8_0_1");
  expect(readLink("v=morris")).toEqual({ rules: { variant: "morris" }, moves: [] });
  expect(readLink("#x&=y&m=d6 f4,,d2&v=morris")?.moves).toEqual(["d6", "f4", "d2"]);
  expect(readLink("#v=morris&f=+O2/3/3/6/3/3/2X+w_8%208+0+1_")?.fen).toBe(fen);
  expect(readLink("#v=morris&f=__")).toEqual({ rules: { variant: "morris" }, moves: [] });
  for (const hash of ["#av=morris", "#a=v=morris", "x#v=morris"])
    expect(readLink(hash), hash).toBeUndefined();
  expect(() => readLink("#v=")).toThrow('The game ""');
  expect(() => readLink("#m=d6&v=mor%zz")).toThrow('"v=mor%zz"');
});

test("links hold who played, and the end that the rules do not give", () => {
  const morris = { rules: { variant: "morris" }, moves: ["d6", "f4"] };
  const names = { white: "Lasker, E. (Berlin)", black: "José_R=C&B ‮" };
  const end = { outcome: "white", reason: "", termination: "resignation" } as const;
  const link = writeLink({ ...morris, names, end });
  expect(link).toMatch(/^#v=morris&w=Lasker,_E._%28Berlin%29&b=[^&]+&r=1-0&m=d6,f4$/);
  expect(readLink(link)).toEqual({ ...morris, names, end });
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  const ends = fc.record({
    outcome: fc.constantFrom(...OUTCOMES),
    reason: fc.string({ unit: "grapheme", maxLength: 30 }),
    termination: fc.constantFrom(...TERMINATIONS),
  });
  const property = fc.property(text, text, ends, (white, black, end) => {
    const game = { ...morris, names: { white, black }, end };
    expect(readLink(writeLink(game))).toEqual(game);
  });
  fc.assert(property, { numRuns: 300 });
  // A single name leaves the other unknown.
  expect(readLink("#v=morris&w=Ann")?.names).toEqual({ white: "Ann", black: "–" });
  expect(readLink("#v=morris&r=*")?.end).toBeUndefined();
  expect(() => readLink("#v=morris&r=2-0")).toThrow('"2-0" is no result');
  expect(() => readLink("#v=morris&moves=d6")).toThrow('"moves=d6" is no part');
});

test("rule options are read by their kinds", () => {
  const read = (text: string) => readOptions("morris", text);
  expect(read(" stones = 12 ; REMOVAL=Never;Flying= FALSE ")).toEqual({
    Stones: 12,
    Removal: "never",
    Flying: false,
  });
  expect(Object.keys(read("Removal=never,Stones=12"))).toEqual(["Stones", "Removal"]);
  for (const bad of [
    "Stones=",
    "Stones=123456",
    "Stones=1x",
    "Stones=x1",
    "Stones=-1",
    "Flying=yes",
    "Flying=",
  ])
    expect(() => read(bad), bad).toThrow(bad.split("=")[0]);
  expect(read("No Mill Draw=12345")).toEqual({ "No Mill Draw": 12345 });
  expect(() => read("Stones=MANY")).toThrow('Stones is "many"');
  expect([writeOptions(), writeOptions({ Stones: 10, Flying: false })]).toEqual([
    "",
    "Stones=10,Flying=false",
  ]);
  expect(ruleset("lasker", { Stones: 10 })).toEqual({ variant: "lasker" });
  expect(ruleset("lasker")).toEqual({ variant: "lasker" });
  expect(ruleset("lasker", { Stones: 9 })).toEqual({ variant: "lasker", options: { Stones: 9 } });
  expect(inForce({ variant: "lasker", options: { Stones: 7 } })).toMatchObject({
    Stones: 7,
    "Moves While Placing": true,
  });
});

test("an end by the rules has its winner, or none", () => {
  const reason = "no legal move";
  expect(ofRules({ winner: "black", id: "no-moves", reason })).toEqual({
    outcome: "black",
    reason: "no-moves",
    termination: "normal",
  });
  expect(ofRules({ winner: null, id: "no-moves", reason }).outcome).toBe("draw");
});

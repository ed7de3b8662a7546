import fc from "fast-check";
import { EngineError, type Message, type OptionValues, type Rules, type Variant } from "millbrain";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { isTree, line, path } from "../src/game/tree.js";
import { gameText, loadGameTexts } from "../src/i18n/games.js";
import { LANGS } from "../src/i18n/langs.js";
import { faultTexts } from "../src/texts/faults.js";
import { dayText } from "../src/texts/words.js";
import { readKept as readKeptHere, writeKept } from "../src/store/games/kept.js";
import { newClock, run } from "../src/game/clock.js";
import { alone, greeted, type Player, seated, searching, timeControl, TIMES } from "../src/game/players.js";
import { ENGINES, type Kept, readKept, readListed, readSettings, THEMES } from "../src/store/games/stored.js";

// The texts read the browser's languages, if there is a browser.
vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["en"] }));

let rules: Rules;
beforeAll(async () => {
  await Promise.all([loadRules(), ...LANGS.map(loadGameTexts)]);
  rules = engineRules();
});

/** Generates a value with a field at any depth replaced by any JSON, or any JSON at all. */
function near(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== "object" || value === null) return fc.jsonValue();
  const keys = Object.keys(value);
  if (keys.length === 0) return fc.jsonValue();
  const inside = fc.constantFrom(...keys).chain((key) =>
    near((value as Record<string, unknown>)[key]).map((other) => {
      if (Array.isArray(value)) return value.map((item: unknown, i) => (String(i) === key ? other : item));
      return { ...value, [key]: other };
    }),
  );
  return fc.oneof({ weight: 9, arbitrary: inside }, { weight: 1, arbitrary: fc.jsonValue() });
}

const SETTINGS = { lang: "sk", theme: "dark", lines: 2, engine: "server", bar: false, review: false };
const JUDGEMENT = { score: { cp: 3 }, depth: 4, nodes: 5, best: "d6", pv: ["d6", "f4"] };
const TREE = {
  nodes: line(["a7", "d2", "d7", "d1", "g7xd1"])[0].nodes.map((node) => ({
    ...node,
    judgement: JUDGEMENT,
    mark: "?",
    loss: 0.5,
    time: 3,
    said: { score: { mate: 2 }, depth: 1 },
    clock: 9,
    marks: [1, 14],
    before: "before",
    comment: "after",
  })),
};
const PLAYERS = {
  white: { kind: "human", level: 8, time: 1000 },
  black: { kind: "computer", level: 3, time: 300 },
};
const GAME = {
  key: "k",
  rules: { variant: "mlyn", options: { Flying: true } },
  tree: TREE,
  at: 4,
  players: PLAYERS,
  facts: { times: ["600+5", "-"], number: 2, round: 3, tags: [["Event", "Club night"]] },
  closed: { node: 5, outcome: "white", reason: "resigned", termination: "adjudication" },
};
const KEPT = { ...GAME, auto: false, paused: true, date: 7, listed: true, known: ["r"] };
const LISTED = {
  ...GAME,
  saved: 7,
  auto: true,
  revision: "r",
  white: "a",
  black: "b",
  outcome: "white",
  plies: 4,
};

/** Fails on the first part of a game that a view could not show. */
function expectShowable(
  game: NonNullable<ReturnType<typeof readKept>["game"] | ReturnType<typeof readListed>>,
): void {
  expect(() => rules.state(game.rules)).not.toThrow();
  expect(isTree(game.tree)).toBe(true);
  for (const id of [game.at, game.closed?.node ?? 0]) expect(() => path(game.tree, id)).not.toThrow();
  for (const text of game.facts?.tags?.flat() ?? []) expect(text).toBeTypeOf("string");
  for (const { id, move, judgement, time, loss, said, mark, ...reported } of game.tree.nodes) {
    for (const text of [reported.before, reported.comment]) expect(text ?? "").toBeTypeOf("string");
    for (const number of [reported.clock ?? 0, ...(reported.marks ?? [])])
      expect(number).toBeGreaterThanOrEqual(0);
    const shown = [
      ...(id === 0 ? [] : [move]),
      ...(judgement?.pv ?? []),
      ...(judgement?.best ? [judgement.best] : []),
    ];
    for (const text of shown) expect(rules.parts(game.rules, text)?.text).toBe(text);
    for (const reported of [judgement, said]) {
      if (reported) expect(Object.values(reported.score).every(Number.isSafeInteger)).toBe(true);
    }
    for (const number of [time, loss, judgement?.depth]) expect(number ?? 0).toBeGreaterThanOrEqual(0);
    expect([undefined, "?!", "?", "??"]).toContain(mark);
  }
}

test("stored settings are of their kinds, whatever is stored", () => {
  const read = (text: string | null) => {
    const settings = readSettings(text);
    expect(["", ...LANGS]).toContain(settings.lang);
    expect(THEMES).toContain(settings.theme);
    expect(ENGINES).toContain(settings.engine);
    expect([1, 2, 3, 4, 5]).toContain(settings.lines);
    for (const name of ["bar", "tables", "analyse", "review", "flipped", "coordinates"] as const) {
      expect(typeof settings[name]).toBe("boolean");
    }
    return settings;
  };
  expect(read(JSON.stringify(SETTINGS))).toMatchObject(SETTINGS);
  // One invalid value leaves the others unchanged.
  expect(read('{"lang":"xx","lines":2}')).toMatchObject({ lang: "", lines: 2 });
  fc.assert(fc.property(near(SETTINGS), (data) => void read(JSON.stringify(data))));
  fc.assert(fc.property(fc.string(), (text) => void read(text)));
  read(null);
});

test("stored games can be shown, or are none, whatever is stored", () => {
  expect(readKept(JSON.stringify(KEPT)).game).toEqual({ ...KEPT, players: undefined });
  expect(readListed(LISTED)).toEqual(LISTED);
  fc.assert(
    fc.property(near(KEPT), (data) => {
      const { game, players } = readKept(JSON.stringify(data));
      if (game) expectShowable(game);
      for (const player of players ? [players.white, players.black] : []) {
        expect(["human", "computer"]).toContain(player.kind);
        expect(TIMES).toContain(player.time);
        expect(player.level >= 0 && player.level <= 20).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(near(LISTED), (data) => {
      const game = readListed(data);
      if (game) expectShowable(game);
      if (game) expect(() => new Date(game.saved).toISOString()).not.toThrow();
    }),
    { numRuns: 300 },
  );
});

test("dates of texts are shown as one writes them here", () => {
  const texts = ["2026.08.01", "2026.08.??", "2026.??.??", "????.??.??", "2026.02.30", "1 May", ""];
  expect(texts.map(dayText)).toEqual(["Aug 1, 2026", "2026.08", "2026", "????", "2026.02.30", "1 May", ""]);
});

test("what a game can be shown without is left out, and the game stays", () => {
  const spoiled = structuredClone(KEPT) as unknown as { tree: { nodes: Record<string, unknown>[] } };
  spoiled.tree.nodes[1] = {
    ...spoiled.tree.nodes[1],
    judgement: { best: "castles" },
    mark: "!",
    loss: -1,
    time: "long",
  };
  const node = readKept(JSON.stringify(spoiled)).game?.tree.nodes[1];
  expect(node).toMatchObject({ id: 1, move: "a7" });
  expect([node?.judgement?.best, node?.mark, node?.loss, node?.time]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  for (const bad of [
    { at: 6 },
    { at: -1 },
    { closed: { ...KEPT.closed, node: 9 } },
    { key: "" },
    { rules: {} },
  ]) {
    expect(readKept(JSON.stringify({ ...KEPT, ...bad })).game).toBeUndefined();
  }
});

test("all that the engine says against rules, positions and moves is said in every language", () => {
  const placed = ["", "OO1", "XXX", "O1X", "111", "9", "q", "******O@", "********"];
  const word = fc.constantFrom(
    "w",
    "b",
    "x",
    "0",
    "1",
    "9",
    "13",
    "-1",
    "p",
    "m",
    "r",
    "s",
    "?",
    "zz",
    "1,0",
    "7fffffff",
  );
  const board = fc
    .array(fc.constantFrom(...placed), { minLength: 1, maxLength: 9 })
    .map((rows) => rows.join("/"));
  const whole = fc.constantFrom(
    "3/3/3/6/3/3/3",
    "OOO/OOO/OOO/O5/3/3/3",
    "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1",
    "7/7/7/7/7/7/7/7",
    "BB5/7/7/7/7/7/7/7",
  );
  const fen = fc
    .tuple(fc.oneof(board, whole), fc.array(word, { maxLength: 18 }))
    .map(([rows, rest]) => [rows, ...rest].join(" "));
  const moves = fc.array(fc.constantFrom("d6", "f4", "a7", "d7", "g7", "g7xd1", "d6xf4", "a1a4", "d2d3"), {
    maxLength: 9,
  });
  const options = fc.constantFrom<OptionValues>(
    {},
    { Stones: 99 },
    { Removal: "none" },
    { "Once Per Line Mills": true },
    { Flying: "x" },
  );
  const unsaid = new Set<string>();
  const said = ({ id, values }: Message): Message[] => {
    const parts = Object.values(values).filter((value) => typeof value === "object");
    return [{ id, values }, ...parts.flat().flatMap(said)];
  };
  const refused = (state: () => unknown) => {
    try {
      state();
    } catch (error) {
      const { message, id, values } = error as EngineError;
      for (const part of said({ id, values })) {
        for (const lang of LANGS) if (gameText(part.id, lang) === undefined) unsaid.add(part.id);
      }
      const texts = faultTexts(new EngineError("whatever", id, values));
      // Only options have other names on a page.
      if (id !== "fault.option-value") expect(message.endsWith(texts.join("; ")), message).toBe(true);
    }
  };
  fc.assert(
    fc.property(
      fc.constantFrom<Variant>(...rules.variants().map(({ name }) => name)),
      options,
      fc.option(fen),
      moves,
      (variant, options, fen, moves) => {
        refused(() =>
          rules.state(
            { variant, options: variant === "smess" ? {} : options },
            { fen: fen ?? undefined, moves },
          ),
        );
      },
    ),
    { numRuns: 1000 },
  );
  const over = { fen: "OO1/3/3/6/3/3/XXX w 0 0", moves: ["a7a4"] };
  refused(() => rules.state({ variant: "morris" }, over));
  expect([...unsaid]).toEqual([]);
});

test("settings that nobody has made are those to begin with", () => {
  const first = {
    lang: "",
    theme: "system",
    bar: false,
    tables: false,
    analyse: false,
    lines: 3,
    review: true,
    alias: "",
    clock: "",
    sound: true,
    stones: "own",
    name: "",
    wood: "oak",
    flipped: false,
    coordinates: true,
    engine: "auto",
    table: "",
  };
  for (const text of [
    null,
    "",
    "null",
    "5",
    "[]",
    "{",
    '{"bar":1,"lines":6}',
    '{"lines":0}',
    '{"lines":1.5}',
    '{"name":5}',
    '{"name":"a\\nb"}',
    JSON.stringify({ name: "a".repeat(41) }),
    '{"table":["a"]}',
    JSON.stringify({ table: "a".repeat(2001) }),
  ])
    expect(readSettings(text), String(text)).toEqual(first);
  expect([1, 5].map((lines) => readSettings(JSON.stringify({ lines })).lines)).toEqual([1, 5]);
  for (const [name, values] of Object.entries({ theme: THEMES, engine: ENGINES, lang: ["", ...LANGS] }))
    for (const value of values)
      expect(readSettings(JSON.stringify({ [name]: value }))).toMatchObject({ [name]: value });
  const turned = {
    bar: false,
    tables: true,
    analyse: true,
    review: false,
    clock: "5+3",
    sound: false,
    stones: "mint-maroon",
    name: 'Ján "J" 😀',
    wood: "plain",
    flipped: true,
    coordinates: false,
    table: "https://example.org/a b.mbt",
  };
  expect(readSettings(JSON.stringify(turned))).toMatchObject(turned);
});

test("players that cannot be read are those to begin with, one by one", () => {
  const read = (players: unknown) => readKept(JSON.stringify({ players })).players;
  expect(read(PLAYERS)).toEqual(PLAYERS);
  expect(read({ white: 1, black: {} })).toEqual({
    white: { kind: "human", level: 8, time: 1000 },
    black: { kind: "computer", level: 8, time: 1000 },
  });
  expect(
    read({ white: { kind: "computer", level: 21, time: 7 }, black: { kind: "human", level: 20, time: 100 } }),
  ).toEqual({
    white: { kind: "computer", level: 8, time: 1000 },
    black: { kind: "human", level: 20, time: 100 },
  });
  for (const level of [-1, 1.5, "3"])
    expect(read({ ...PLAYERS, white: { kind: "human", level, time: 300 } })?.white).toEqual({
      kind: "human",
      level: 8,
      time: 300,
    });
  expect(read({ ...PLAYERS, white: { kind: "human", level: 0, time: 300 } })?.white.level).toBe(0);
  const called = (name: unknown) => read({ ...PLAYERS, white: { ...PLAYERS.white, name } })?.white;
  expect(called("Anna")).toEqual({ ...PLAYERS.white, name: "Anna" });
  for (const name of [5, "a\nb", "a".repeat(41)]) expect(called(name)).toEqual(PLAYERS.white);
  expect(read(undefined)).toBeUndefined();
  expect(readKept("rubbish")).toEqual({});
});

test("whoever plays alone has the known name; names are for persons", () => {
  const human: Player = { kind: "human", level: 8, time: 1000 };
  const [anna, ben] = ["Anna", "Ben"].map((name): Player => ({ ...human, name })) as [Player, Player];
  const machine: Player = { kind: "computer", level: 8, time: 1000, name: "Anna" };
  expect(alone({ white: anna, black: machine })).toBe("white");
  expect(alone({ white: machine, black: anna })).toBe("black");
  expect(alone({ white: anna, black: ben })).toBeUndefined();
  expect(greeted({ white: machine, black: human }, "Anna").black).toEqual(anna);
  for (const players of [
    { white: ben, black: machine },
    { white: human, black: ben },
  ])
    expect(greeted(players, "Anna")).toBe(players);
  const spaced = { ...human, name: "  Anna " };
  expect(seated({ white: spaced, black: machine })).toEqual({
    white: anna,
    black: { ...machine, name: undefined },
  });
  expect(seated({ white: { ...human, name: "  " }, black: ben })).toEqual({ white: human, black: ben });
});

test("a game with any one thing wrong that it needs is none", () => {
  const kept = (changes: object) => readKept(JSON.stringify({ ...KEPT, ...changes })).game;
  const node = (id: number, changes: object) => ({
    tree: { nodes: TREE.nodes.map((node) => (node.id === id ? { ...node, ...changes } : node)) },
  });
  for (const bad of [
    { at: 1.5 },
    { fen: 5 },
    { closed: { ...GAME.closed, outcome: "nobody" } },
    { closed: { ...GAME.closed, termination: "rain" } },
    { closed: { ...GAME.closed, reason: 5 } },
    { closed: { ...GAME.closed, node: -1 } },
    { rules: { variant: "chess" } },
    { rules: { variant: "mlyn", options: { Speed: 9 } } },
    { rules: { variant: "mlyn", options: { Stones: "7" } } },
    { rules: { variant: "mlyn", options: { Stones: 13 } } },
    { rules: { variant: "mlyn", options: { Stones: 2 } } },
    { rules: { variant: "mlyn", options: { Stones: 7.5 } } },
    { rules: { variant: "mlyn", options: { Flying: "true" } } },
    { rules: { variant: "mlyn", options: { Removal: "never and more" } } },
    { rules: { variant: "smess", options: { Stones: 7 } } },
    { tree: {} },
    node(1, { move: "" }),
    node(0, { move: "d6" }),
    node(1, { move: "castles" }),
    node(1, { move: "g8" }),
    node(1, { move: "A7" }),
    node(2, { parent: 0 }),
  ]) {
    expect(kept(bad), JSON.stringify(bad)).toBeUndefined();
  }
  expect(kept({ rules: { variant: "mlyn", options: { Flying: false } } })?.rules).toEqual({
    variant: "mlyn",
  });
  expect(kept({ rules: { variant: "mlyn", options: { Removal: "never" } } })?.rules.options).toEqual({
    Removal: "never",
  });
  expect(kept({ rules: { variant: "mlyn" }, at: 0, closed: undefined, fen: "x" })).toMatchObject({
    at: 0,
    fen: "x",
  });
  expect(kept({ closed: { ...GAME.closed, node: 5 } })?.closed?.node).toBe(5);
  // Fields that are not required for showing it.
  const plain = { auto: 1, paused: 1, date: -1, listed: 1, known: [1] };
  expect(kept(plain)).toMatchObject({ auto: true, paused: false, date: 0, listed: false, known: [] });
  expect(kept({ date: 8_640_000_000_000_001 })?.date).toBe(0);
  expect(kept({ date: 8_640_000_000_000_000 })?.date).toBe(8_640_000_000_000_000);
  const loose = (changes: object) => kept(node(1, changes))?.tree.nodes[1];
  expect(loose({ loss: 1 })?.loss).toBe(1);
  expect(loose({ loss: 1.1 })?.loss).toBeUndefined();
  expect(loose({ loss: 0, time: 0 })).toMatchObject({ loss: 0, time: 0 });
  expect(loose({ time: 1.5, said: { score: { mate: 1.5 }, depth: 1 } })).toMatchObject({
    time: undefined,
    said: undefined,
  });
  for (const mark of ["?!", "?", "??"]) expect(loose({ mark })?.mark).toBe(mark);
  const broken = loose({ judgement: { ...JUDGEMENT, pv: ["d6", "castles"], best: "x" } })?.judgement;
  expect(broken).toMatchObject({ score: { cp: 3 }, depth: 4, nodes: 5 });
  expect([broken?.pv, broken?.best]).toEqual([undefined, undefined]);
  expect(loose({ judgement: { ...JUDGEMENT, depth: -1 } })?.judgement).toBeUndefined();
});

test("a listed game needs its names, its length and its moment", () => {
  for (const name of ["key", "rules", "tree", "at", "saved", "white", "black", "plies"])
    expect(readListed({ ...LISTED, [name]: undefined }), name).toBeUndefined();
  for (const bad of [{ saved: 9e15 }, { plies: -1 }, { outcome: "nobody" }, { at: 9 }, { key: "" }])
    expect(readListed({ ...LISTED, ...bad }), JSON.stringify(bad)).toBeUndefined();
  const { auto: _, revision: __, outcome: ___, players: ____, closed: _____, ...least } = LISTED;
  expect(readListed(least)).toMatchObject(least);
  const loose = readListed({ ...LISTED, auto: 5, revision: 5, players: 5 });
  expect([loose?.auto, loose?.revision, loose?.players]).toEqual([undefined, undefined, undefined]);
});

test("computers play as they are reported, and records tell how", () => {
  const player = { kind: "computer", level: 3, time: 300 } as const;
  expect(searching(player)).toEqual({
    limits: { movetime: 300 },
    options: { "Skill Level": 3, MultiPV: 1, UCI_AnalyseMode: false },
  });
  expect(timeControl(player)).toBe("level 3 movetime 300");
  expect(timeControl({ ...player, level: 19 })).toBe("level 19 movetime 300");
  expect(timeControl({ ...player, level: 20 })).toBe("movetime 300");
  expect(timeControl({ ...player, kind: "human" })).toBe("-");
  const control = { base: 60_000, increment: 2000 };
  expect(searching(player, run(newClock(control), "white", 0), 500).limits).toEqual({
    wtime: 59_500,
    btime: 60_000,
    winc: 2000,
    binc: 2000,
  });
  expect(timeControl(player, control)).toBe("level 3 60+2");
  expect(timeControl({ ...player, kind: "human" }, control)).toBe("60+2");
});

test("a clock is kept as it stood, and anything else is none", () => {
  const control = { base: 60_000, increment: 0 };
  const clock = run(newClock(control, { white: 5, black: 7.5 }), "white", 3);
  const read = (clock: unknown) => readKept(JSON.stringify({ ...KEPT, clock })).game;
  expect(read(clock)?.clock).toEqual(newClock(control, { white: 5, black: 7.5 }));
  for (const bad of [7, {}, { ...clock, left: { white: -1, black: 0 } }, { ...clock, control: {} }])
    expect([read(bad)?.at, read(bad)?.clock]).toEqual([KEPT.at, undefined]);
});

/** A storage of a browser, possibly full. */
function storage(isFull = false): Storage & { data: Map<string, string> } {
  const data = new Map<string, string>();
  const setItem = (key: string, text: string) => {
    if (isFull) throw new Error("QuotaExceededError");
    data.set(key, text);
  };
  const own = {
    data,
    setItem,
    getItem: (key: string) => data.get(key) ?? null,
    removeItem: (key: string) => data.delete(key),
  };
  return own as unknown as Storage & { data: Map<string, string> };
}

test("a window goes on with its own game, and a new one with the latest", () => {
  const kept = { ...KEPT, players: PLAYERS } as unknown as Parameters<typeof writeKept>[0];
  const game = (at: number) => ({ ...kept, at }) as Kept & typeof kept;
  const [all, first, second] = [storage(), storage(), storage()];
  const window = (own: Storage) => {
    vi.stubGlobal("sessionStorage", own);
    vi.stubGlobal("localStorage", all);
  };
  window(first);
  expect(readKeptHere()).toEqual({});
  writeKept(game(1));
  window(second);
  expect(readKeptHere().game?.at).toBe(1);
  writeKept(game(2));
  expect(readKeptHere().players).toEqual(PLAYERS);
  window(first);
  expect(readKeptHere().game?.at).toBe(1);
  window(storage());
  expect(readKeptHere().game?.at).toBe(2);
  expect([...all.data.keys()]).toEqual(["millbrain.game"]);
  // A full storage has no older game either, and the other one has the new one.
  const full = storage(true);
  full.data.set("millbrain.game", JSON.stringify(game(1)));
  window(full);
  writeKept(game(3));
  expect([full.data.size, readKeptHere().game?.at]).toEqual([0, 3]);
  // A browser may forbid both.
  vi.stubGlobal("sessionStorage", undefined);
  Object.defineProperty(globalThis, "sessionStorage", {
    configurable: true,
    get: () => {
      throw new Error("SecurityError");
    },
  });
  expect(() => writeKept(game(4))).not.toThrow();
  expect(readKeptHere()).toEqual({});
  vi.unstubAllGlobals();
});

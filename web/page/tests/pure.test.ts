import type { Layout, MoveParts, Point, Rules, Score } from "millbrain";
import { beforeAll, expect, test } from "vitest";
import {
  choice,
  click,
  emblem,
  fitting,
  follow,
  fullLines,
  neighbour,
  type Pick,
  placement,
  plan,
} from "@millbrain/board/model";
import { follow as live, NOTHING_LIVE } from "../src/engine/live.js";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { leastLoss, markOf, negate, scoreText, whiteChances } from "../src/game/chances.js";
import {
  emptyTree,
  isTree,
  type Judgement,
  judged,
  leaf,
  line,
  moves,
  nodeOf,
  path,
  play,
  promote,
  remove,
  ROOT,
  type TreeNode,
  update,
} from "../src/game/tree.js";
import { mistakesOf } from "../src/game/result.js";
import { rows, signs } from "../src/panels/game/rows.js";
import { type ListedGame } from "../src/store/games/stored.js";
import { nextLevel, type Result, resultOf } from "../src/store/ladder.js";
import { hasDistances, tableChance, tableRank, type TableValue, tableValues } from "../src/game/tables.js";

let rules: Rules;
beforeAll(async () => {
  await loadRules();
  rules = engineRules();
});

const MORRIS = { variant: "morris" } as const;

const layouts = (): [Layout, Layout] => [
  rules.layout({ variant: "morris" }),
  rules.layout({ variant: "smess" }),
];

test("trees keep variations and never change", () => {
  const [tree, end] = line(["d6", "f4", "d2"]);
  const [branched, other] = play(tree, 1, "b4");
  expect(tree.nodes).toHaveLength(4);
  expect(moves(branched, other)).toEqual(["d6", "b4"]);
  expect(play(branched, 1, "f4")).toEqual([branched, 2]);
  expect(leaf(branched, ROOT)).toBe(end);
  expect(leaf(promote(branched, other), ROOT)).toBe(other);
  const [cut, at] = remove(branched, 2, end);
  expect([moves(cut, leaf(cut, ROOT)), at]).toEqual([["d6", "b4"], 1]);
  expect(remove(branched, ROOT, end)).toEqual([emptyTree(), ROOT]);
  expect(path(update(tree, 1, { mark: "?" }), 1)[0]?.mark).toBe("?");
});

test("mistakes are counted for each side", () => {
  let [tree, end] = line(["d6", "f4", "d2", "b4"]);
  expect(mistakesOf(path(tree, end), "white")).toBeUndefined();
  tree = update(update(update(tree, 1, { mark: "?", loss: 0.2 }), 2, { mark: "??", loss: 0.5 }), 3, {
    mark: "?",
    loss: 0.2,
  });
  const reported = (first: "white" | "black") => {
    const { white, black } = mistakesOf(path(tree, end), first)!;
    return [[...white], [...black]];
  };
  expect(reported("white")).toEqual([[["?", 2]], [["??", 1]]]);
  expect(reported("black")).toEqual([[["??", 1]], [["?", 2]]]);
  const none = update(line(["d6"])[0], 1, { loss: 0 });
  expect([...mistakesOf(path(none, 1), "white")!.white]).toEqual([]);
});

test("only trees that can be walked are taken from outside", () => {
  const [tree] = line(["d6", "f4"]);
  expect(isTree(JSON.parse(JSON.stringify(tree)))).toBe(true);
  for (const bad of [null, {}, { nodes: [] }, { nodes: [{ id: 0, parent: 0, move: "", children: [] }] }]) {
    expect(isTree(bad)).toBe(false);
  }
  for (const children of [
    [[1, 1], [2]],
    [[1], [1]],
    [[1], []],
  ]) {
    const nodes = structuredClone(tree).nodes.map((node, i) => ({ ...node, children: children[i] ?? [] }));
    expect(isTree({ nodes })).toBe(false);
  }
  const looped = structuredClone(tree) as unknown as { nodes: { parent: number; children: number[] }[] };
  looped.nodes[1]!.children = [1];
  expect(isTree(looped)).toBe(false);
});

test("move lists have their variations where they branch off", () => {
  let [tree] = line(["d6", "f4", "d2"]);
  [tree] = play(tree, 1, "b4");
  expect(rows(tree, false)).toEqual([
    { kind: "pair", number: 1, white: 1, black: 2 },
    { kind: "variation", depth: 1, moves: [{ id: 4, label: "1…" }] },
    { kind: "pair", number: 2, white: 3 },
  ]);
  expect(rows(line(["d6"])[0], true)).toEqual([{ kind: "pair", number: 1, black: 1 }]);
});

test("comments stand between the moves that they are on", () => {
  let [tree] = line(["d6", "f4", "d2", "b4"]);
  [tree] = play(tree, 1, "g7", { before: "or" });
  tree = update(tree, 0, { comment: "a game" });
  tree = update(tree, 1, { comment: "good" });
  tree = update(tree, 4, { before: "at last", comment: "the end" });
  expect(rows(tree, false)).toEqual([
    { kind: "comment", text: "a game" },
    { kind: "pair", number: 1, white: 1 },
    { kind: "comment", text: "good" },
    { kind: "pair", number: 1, black: 2 },
    { kind: "variation", depth: 1, moves: [{ id: 5, label: "1…" }] },
    { kind: "pair", number: 2, white: 3 },
    { kind: "comment", text: "at last" },
    { kind: "pair", number: 2, black: 4 },
    { kind: "comment", text: "the end" },
  ]);
  const node = (known: Partial<TreeNode>) => signs({ id: 1, parent: 0, move: "d6", children: [], ...known });
  expect([node({}), node({ marks: [3, 14, 2] }), node({ marks: [1], mark: "?!" })]).toEqual([
    [],
    ["!!", "?"],
    ["?!"],
  ]);
});

test("chances follow the engine's model", () => {
  const chances = (score: Score) => rules.expectedPoints(MORRIS, score);
  expect(chances({ cp: 0 })).toBe(0.5);
  expect(chances({ cp: 150 })).toBeGreaterThan(0.6);
  expect(chances({ cp: 150 })).not.toBe(rules.expectedPoints({ variant: "smess" }, { cp: 150 }));
  expect([chances({ mate: 3 }), chances({ mate: -1 }), chances({ mate: 0 })]).toEqual([1, 0, 0]);
  expect(whiteChances(MORRIS, { mate: 2 }, "black")).toBe(0);
  expect([0.04, 0.05, 0.1, 0.5].map(markOf)).toEqual([undefined, "?!", "?", "??"]);
  expect(["??", "?", "?!", "", undefined].map(leastLoss)).toEqual([0.2, 0.1, 0.05, 0, 0]);
});

test("mills are those of the engine", () => {
  for (const variant of ["morris", "morabaraba"] as const) {
    let played: string[] = [];
    for (let i = 0; i < 60; i++) {
      const state = rules.state({ variant }, { moves: played });
      const men = placement(state.pieces);
      for (const side of ["white", "black"] as const) {
        const reported = state.facts.find(([name]) => name === `Mills ${side}`)?.[1] ?? "";
        const own = fullLines(rules.layout({ variant }), men).filter(
          ([point = ""]) => men.get(point)?.side === side,
        );
        const sorted = (names: readonly string[]) => [...names].sort().join();
        const expected =
          reported === "none" ? [] : reported.split(/[\s,]+/).map((mill) => sorted(mill.split("-")));
        expect(own.map(sorted).sort()).toEqual(expected.sort());
      }
      const move = rules.randomMove({ variant }, { moves: played });
      if (move === null || state.ending) break;
      played = [...played, move];
    }
  }
});

test("the boards of the engine are drawn as they have always been", () => {
  const [morris, smess] = layouts().map((layout) => plan(layout, false));
  expect(morris?.box).toEqual({ x: -85, y: -85, width: 770, height: 770 });
  expect(smess?.box).toEqual({ x: -85, y: -85, width: 770, height: 870 });
  expect(morris?.labels.map(({ text }) => text).join("")).toBe("adgbfce7654321");
  expect(smess?.labels.map(({ text }) => text).join("")).toBe("abcdefg87654321");
  expect(morris?.steps).toContain("M0 0L300 0");
  expect(smess?.cells.filter(({ isMarked }) => isMarked).map(({ name }) => name)).toEqual(
    ["8", "1"].flatMap((rank) => ["b", "c", "e", "f"].map((file) => file + rank)),
  );
  expect(smess?.cells.flatMap(({ arrows }) => arrows)).toHaveLength(170);
  const small = layouts().map(emblem);
  expect(small.map((path) => path.split("M").length - 1)).toEqual([32, 9]);
  expect(emblem(rules.layout({ variant: "morabaraba" }))).toContain("M3 3L8 8");
});

test("arrow keys follow the lines, and every point can be reached", () => {
  for (const { points } of layouts()) {
    const seen = new Set<Point>([points[0]!]);
    for (const point of seen) {
      for (const direction of ["left", "right", "up", "down"] as const) {
        const next = neighbour(points, point, direction);
        if (next) seen.add(next);
      }
    }
    expect(seen.size).toBe(points.length);
  }
});

test("clicks make moves of both kinds, and call a mill off", () => {
  const { moves: placing } = rules.state({ variant: "morris" }, { moves: ["a7", "d2", "d7", "d1"] });
  expect(click(placing, {}, "g4")).toEqual({ move: "g4" });
  const mill = click(placing, {}, "g7") as { pick: Pick };
  expect(mill).toEqual({ pick: { to: "g7" } });
  expect(choice(placing, mill.pick)).toMatchObject({ due: "remove", removals: new Set(["d1", "d2"]) });
  expect(click(placing, mill.pick, "d1")).toEqual({ move: "g7xd1" });
  expect(click(placing, mill.pick, "b4")).toEqual({ pick: {} });
  const { moves: sliding } = rules.state({ variant: "morris" }, { fen: "OO1/3/3/2X3/1XX/1O1/O2 w 0 0 0 1" });
  expect(choice(sliding, {}).due).toBe("from");
  const picked = click(sliding, {}, "a7") as { pick: Pick };
  expect(picked).toEqual({ pick: { from: "a7" } });
  expect(click(sliding, picked.pick, "a4")).toEqual({ move: "a7a4" });
  expect(click(sliding, picked.pick, "a7")).toEqual({ pick: {} });
  expect(click(sliding, picked.pick, "d7")).toEqual({ pick: { from: "d7" } });
});

test("a move that takes several stones is picked one after the other", () => {
  const move = (...taken: string[]) => ({ text: `d6x${taken.join("x")}`, to: "d6", taken });
  const moves = [move("b4", "f2"), move("b4", "a1"), move("g7")];
  const mill: Pick = { to: "d6" };
  expect(choice(moves, mill).removals).toEqual(new Set(["b4", "f2", "a1", "g7"]));
  expect(click(moves, mill, "g7")).toEqual({ move: "d6xg7" });
  const one = click(moves, mill, "b4") as { pick: Pick };
  expect(one).toEqual({ pick: { to: "d6", taken: ["b4"] } });
  expect(choice(moves, one.pick)).toMatchObject({ due: "remove", removals: new Set(["f2", "a1"]) });
  expect(click(moves, one.pick, "a1")).toEqual({ move: "d6xb4xa1" });
  expect(click(moves, one.pick, "b4"), "the same one again").toEqual({ pick: {} });
  expect(click(moves, one.pick, "g7")).toEqual({ pick: {} });
});

/** Parses men by their letters in a FEN and their points. */
function men(text: string) {
  const kinds = layouts().flatMap((layout) => layout.kinds);
  return placement(
    text.split(" ").map((word) => {
      const kind = kinds.find(({ letters }) => letters.includes(word.slice(0, 1)))!;
      const side = kind.letters[0] === word.slice(0, 1) ? "white" : "black";
      return { point: word.slice(1), side, kind: kind.id };
    }),
  );
}

/** Parses moves into their parts. */
const parts = (...moves: string[]): MoveParts[] =>
  moves.map((move) => rules.parts({ variant: "morris" }, move)!);

test("men keep their identity when they move", () => {
  const before = follow([], men("Oa7 Od7 Xa1 Xd1"));
  const after = follow(before, men("Oa7 Og7 Xa1"), { from: "d7", to: "g7" });
  const id = (pieces: typeof before, point: string) => pieces.find((piece) => piece.point === point)?.id;
  expect(id(after, "g7")).toBe(id(before, "d7"));
  expect(id(after, "a7")).toBe(id(before, "a7"));
  expect(after).toHaveLength(3);
});

test("a match is followed event by event", () => {
  const game = { number: 2, white: "a", black: "b", moves: ["d6"] };
  let state = live(NOTHING_LIVE, "state", {
    games: [game],
    standings: { engines: [{ name: "a" }] },
    variant: "mlyn",
  });
  expect(state).toMatchObject({ games: [game], finished: [], standings: [{ name: "a" }], variant: "mlyn" });
  state = live(state, "move", { number: 2, ply: 2, move: "f4", clocks: { white: 5, black: null } });
  state = live(state, "move", { number: 2, ply: 2, move: "f4" });
  expect(state.games[0]).toMatchObject({ moves: ["d6", "f4"], clocks: { white: 5 } });
  state = live(state, "game", { number: 1, moves: [] });
  expect(state.games.map(({ number }) => number)).toEqual([1, 2]);
  state = live(state, "gone", { number: 1 });
  state = live(state, "end", { number: 2, result: "1-0" });
  expect(state).toMatchObject({ games: [], finished: [{ number: 2, result: "1-0" }] });
  expect(live(state, "over", null)).toMatchObject({ over: true, standings: [] });
  expect(live(NOTHING_LIVE, "state", null).games).toEqual([]);
});

test("a tree says which nodes it has, and takes what is reported of a new one", () => {
  const [tree, at] = play(emptyTree(), ROOT, "d6", { time: 5, said: { score: { cp: 1 }, depth: 2 } });
  expect(tree.nodes).toEqual([
    { id: 0, parent: -1, move: "", children: [1] },
    { id: 1, parent: 0, move: "d6", children: [], time: 5, said: { score: { cp: 1 }, depth: 2 } },
  ]);
  expect(nodeOf(tree, at).move).toBe("d6");
  expect(() => nodeOf(tree, 2)).toThrow("no node 2");
});

test("the best that is known of a position stays", () => {
  const [tree] = line(["d6"]);
  const reported: Judgement = { score: { cp: 5 }, depth: 8, nodes: 100, pv: ["f4", "d2"] };
  const known = judged(tree, 1, reported);
  expect(known.nodes[1]?.judgement).toEqual({ ...reported, best: "f4" });
  expect(known.nodes[0]).toEqual(tree.nodes[0]);
  // With fewer nodes at the same or a lower depth, the known evaluation remains. A deeper one, or one with as many
  // nodes, replaces it.
  for (const depth of [7, 8]) expect(judged(known, 1, { ...reported, nodes: 99, depth })).toBe(known);
  expect(judged(known, 1, { ...reported, nodes: 99, depth: 9 }).nodes[1]?.judgement?.depth).toBe(9);
  expect(judged(known, 1, { ...reported, depth: 7 }).nodes[1]?.judgement?.depth).toBe(7);
  expect(judged(known, 7, reported)).toBe(known);
  const bare = { score: { mate: 1 }, depth: 1, nodes: 1 };
  expect(judged(tree, 1, bare).nodes[1]?.judgement).toEqual(bare);
  const best = judged(tree, 1, { ...reported, best: "b4", pv: Array<string>(20).fill("b4") }).nodes[1]
    ?.judgement;
  expect([best?.best, best?.pv?.length]).toEqual(["b4", 12]);
});

test("what is left of a tree is numbered anew", () => {
  let [tree] = line(["d6", "f4", "d2"]);
  [tree] = play(tree, 1, "b4");
  [tree] = play(tree, 4, "g7");
  const [cut, at] = remove(tree, 2, 5);
  expect(cut.nodes).toEqual([
    { id: 0, parent: -1, move: "", children: [1] },
    { id: 1, parent: 0, move: "d6", children: [2] },
    { id: 2, parent: 1, move: "b4", children: [3] },
    { id: 3, parent: 2, move: "g7", children: [] },
  ]);
  expect(at).toBe(3);
  expect(isTree(cut)).toBe(true);
  const raised = promote(tree, 5);
  expect(raised.nodes[1]?.children).toEqual([4, 2]);
  expect(moves(raised, leaf(raised, ROOT))).toEqual(["d6", "b4", "g7"]);
});

test("a tree with any one thing wrong is none", () => {
  const [tree] = line(["d6", "f4", "d2"]);
  const spoil = (id: number, changes: Record<string, unknown>) =>
    isTree({ nodes: tree.nodes.map((node) => (node.id === id ? { ...node, ...changes } : node)) });
  expect(spoil(1, {})).toBe(true);
  expect(spoil(1, { id: 2 })).toBe(false);
  expect(spoil(1, { move: 5 })).toBe(false);
  expect(spoil(0, { parent: 0 })).toBe(false);
  for (const parent of [-1, 1, 2, 0.5, "0"]) expect(spoil(1, { parent }), String(parent)).toBe(false);
  for (const children of [undefined, null, "2", [1], [3], [2.5], ["2"], [9], [2, 3]])
    expect(spoil(1, { children }), String(children)).toBe(false);
  expect(isTree({ nodes: [null] })).toBe(false);
  expect(isTree({ nodes: "no" })).toBe(false);
  expect(isTree(emptyTree())).toBe(true);
});

test("variations in variations are deeper, and the number is reported where it would be missed", () => {
  let [tree] = line(["d6", "f4", "d2", "b4"]);
  [tree] = play(tree, 2, "g7");
  [tree] = play(tree, 5, "a1");
  [tree] = play(tree, 6, "a4");
  [tree] = play(tree, 5, "g1");
  expect(rows(tree, false)).toEqual([
    { kind: "pair", number: 1, white: 1, black: 2 },
    { kind: "pair", number: 2, white: 3 },
    {
      kind: "variation",
      depth: 1,
      moves: [
        { id: 5, label: "2." },
        { id: 6, label: "" },
        { id: 7, label: "3." },
      ],
    },
    { kind: "variation", depth: 2, moves: [{ id: 8, label: "2…" }] },
    { kind: "pair", number: 2, black: 4 },
  ]);
  expect(rows(line(["d6", "f4"])[0], true)).toEqual([
    { kind: "pair", number: 1, black: 1 },
    { kind: "pair", number: 2, white: 2 },
  ]);
  expect(rows(emptyTree(), false)).toEqual([]);
});

test("scores are turned, and reported to the hundredth", () => {
  const chances = (score: Score) => rules.expectedPoints(MORRIS, score);
  expect([negate({ cp: 5 }), negate({ mate: -3 })]).toEqual([{ cp: -5 }, { mate: 3 }]);
  expect([whiteChances(MORRIS, { mate: 1 }, "white"), whiteChances(MORRIS, { cp: 0 }, "black")]).toEqual([
    1, 0.5,
  ]);
  expect(whiteChances(MORRIS, { cp: 200 }, "black")).toBeCloseTo(1 - chances({ cp: 200 }), 12);
  expect(chances({ cp: -150 })).toBeCloseTo(1 - chances({ cp: 150 }), 12);
  expect([0.2, 0.19, 0.1, 0.09, 0.05, 0.049].map(markOf)).toEqual(["??", "?", "?", "?!", "?!", undefined]);
  const reported = [{ cp: 0 }, { cp: 7 }, { cp: -5 }, { cp: 1234 }, { mate: 12 }, { mate: -12 }];
  const texts = ["+0.00", "+0.07", "-0.05", "+12.34", "+M12", "-M12"];
  expect(reported.map(scoreText)).toEqual(texts);
});

test("arrow keys go straight ahead where they can, and aside where they must", () => {
  const next = (points: readonly Point[], name: string) =>
    (["left", "right", "up", "down"] as const).map(
      (direction) =>
        neighbour(
          points,
          points.find((point) => point.name === name)!,
          direction,
        )?.name,
    );
  const [morris, smess] = layouts().map(({ points }) => points) as [readonly Point[], readonly Point[]];
  expect(next(morris, "a7")).toEqual([undefined, "d7", undefined, "a4"]);
  expect(next(morris, "d6")).toEqual(["b6", "f6", "d7", "d5"]);
  expect(next(morris, "b6")).toEqual(["a7", "d6", "a7", "b4"]);
  expect(next(morris, "d5")).toEqual(["c5", "e5", "d6", "d3"]);
  expect(next(morris, "c4")).toEqual(["b4", "e4", "c5", "c3"]);
  expect(next(morris, "g1")).toEqual(["d1", undefined, "g4", undefined]);
  expect(next(smess, "c4")).toEqual(["b4", "d4", "c5", "c3"]);
});

test("what can be chosen next is reported with all its points", () => {
  const { moves: sliding } = rules.state({ variant: "morris" }, { fen: "OO1/3/3/2X3/1XX/1O1/O2 w 0 0 0 1" });
  expect(choice(sliding, {})).toEqual({
    due: "from",
    sources: new Set(["a7", "d7", "d2", "a1"]),
    targets: new Set(),
    removals: new Set(),
  });
  expect(choice(sliding, { from: "a1" })).toMatchObject({ due: "to", targets: new Set(["a4", "d1"]) });
  expect(choice([], {}).due).toBe("none");
  expect(choice(parts("d6"), {})).toMatchObject({ due: "to", sources: new Set(), targets: new Set(["d6"]) });
  const both = parts("d6", "a7a4", "a7d7xg1", "a7d7xg4", "b6d7xa1");
  const fits = (pick: Pick) => fitting(both, pick).map(({ text }) => text);
  expect(choice(both, {})).toMatchObject({ due: "from-or-to", sources: new Set(["a7", "b6"]) });
  const closing: Pick = { from: "a7", to: "d7" };
  expect(choice(both, closing)).toMatchObject({ due: "remove", removals: new Set(["g1", "g4"]) });
  expect(click(both, { from: "a7" }, "d7")).toEqual({ pick: closing });
  expect(click(both, closing, "g4")).toEqual({ move: "a7d7xg4" });
  // Elsewhere: on another man that can move, on the chosen one, and on neither.
  expect(click(both, closing, "b6")).toEqual({ pick: { from: "b6" } });
  expect(click(both, closing, "a7")).toEqual({ pick: {} });
  expect(click(both, closing, "a1")).toEqual({ pick: {} });
  expect(click(both, { from: "a7" }, "c3")).toEqual({ pick: {} });
  expect(fitting(both, {})).toEqual(both);
  expect(fits({ from: "a7" })).toEqual(["a7a4", "a7d7xg1", "a7d7xg4"]);
  expect(fits(closing)).toEqual(["a7d7xg1", "a7d7xg4"]);
  expect(fits({ to: "d7" })).toEqual(["a7d7xg1", "a7d7xg4", "b6d7xa1"]);
});

test("men that come and go take over from their like, and only from them", () => {
  const before = follow([], men("Oa7 Xd7"));
  const id = (pieces: typeof before, point: string) => pieces.find((piece) => piece.point === point)?.id;
  expect(before.map(({ side, kind, point }) => [side, kind, point])).toEqual([
    ["white", "stone", "a7"],
    ["black", "stone", "d7"],
  ]);
  expect(new Set(before.map(({ id }) => id)).size).toBe(2);
  // Without a known move, a vanished stone of the same side is the one that moved.
  const jumped = follow(before, men("Xg7 Oa1"));
  expect([id(jumped, "a1"), id(jumped, "g7")]).toEqual([id(before, "a7"), id(before, "d7")]);
  expect(jumped.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  // A stone placed while another is taken is a new one.
  const placed = follow(before, men("Xd7 Og7"), { from: "hand", to: "g7" });
  expect(before.map(({ id }) => id)).not.toContain(id(placed, "g7"));
  // A man of the other side on the same point is another man.
  const turned = follow(before, men("Xa7 Xd7"));
  expect(id(turned, "a7")).not.toBe(id(before, "a7"));
  expect(id(turned, "d7")).toBe(id(before, "d7"));
  // A Ninny promoted to a Numskull keeps its identity.
  const ninny = follow([], men("Na7"));
  const grown = follow(ninny, men("Sa8"), { from: "a7", to: "a8" });
  expect(grown).toEqual([{ id: ninny[0]?.id, side: "white", kind: "numskull", point: "a8" }]);
  // On the same square without a known move it is another man.
  expect(follow(ninny, men("Sa7"))[0]?.id).not.toBe(ninny[0]?.id);
  const other = follow(ninny, men("sa8"), { from: "a7", to: "a8" });
  expect(other[0]?.id).not.toBe(ninny[0]?.id);
});

test("the values of tables are known for all moves or none, and have an order", () => {
  const probed = [
    { move: "d6", value: "draw", category: "draw" },
    { move: "f4", value: "win", plies: 5 },
    { move: "b4", value: "loss", plies: 4, category: "loss" },
    { move: "d2", value: "win", plies: 19, category: "cursed-win" },
    { move: "g7", value: "loss", plies: 18, category: "blessed-loss" },
    { move: "g1", value: "win", plies: 57, category: "maybe-win" },
  ] as const;
  const values = tableValues(probed);
  expect([...(values ?? [])]).toEqual([
    ["d6", { value: "draw", isDoubtful: false }],
    ["f4", { value: "win", moves: 3, isDoubtful: false }],
    ["b4", { value: "loss", moves: 2, isDoubtful: false }],
    ["d2", { value: "draw", isDoubtful: false }],
    ["g7", { value: "draw", isDoubtful: false }],
    ["g1", { value: "win", moves: 29, isDoubtful: true }],
  ]);
  expect(hasDistances(values!)).toBe(true);
  const results = tableValues([
    ...probed,
    { move: "a1", value: "win", category: "maybe-win" },
    { move: "a4", value: "loss" },
  ]);
  expect(hasDistances(results!)).toBe(false);
  expect(results!.get("a1")).toEqual({ value: "win", isDoubtful: false });
  expect([...results!.values()].map(tableChance)).toEqual([0.5, 1, 0, 0.5, 0.5, 1, 1, 0]);
  expect(tableValues([])).toBeUndefined();
  expect(tableValues([...probed, { move: "a1", value: "unknown", bound: "win or draw" }])).toBeUndefined();
  const ranked = ["win", "draw", "loss"].flatMap((value) =>
    (value === "draw" ? [undefined] : [2, undefined, 9]).flatMap((moves) =>
      (value === "draw" ? [false] : [true, false]).map(
        (isDoubtful) => ({ value, ...(moves && { moves }), isDoubtful }) as TableValue,
      ),
    ),
  );
  ranked.sort((a, b) => tableRank(b) - tableRank(a));
  expect(
    ranked.map(({ value, moves = "", isDoubtful }) => `${value}${moves}${isDoubtful ? "?" : ""}`),
  ).toEqual([
    "win2",
    "win9",
    "win",
    "win2?",
    "win9?",
    "win?",
    "draw",
    "loss?",
    "loss9?",
    "loss2?",
    "loss",
    "loss9",
    "loss2",
  ]);
});

test("a match may leave out anything, and is remembered so far", () => {
  const game = (number: number, moves: string[] = []) => ({ number, moves });
  let state = live(NOTHING_LIVE, "state", { games: [game(3), game(1)], finished: "none", over: false });
  expect(state).toMatchObject({ finished: [], standings: [], over: false });
  state = live(state, "game", { number: 2 });
  expect(state.games.map(({ number }) => number)).toEqual([1, 2, 3]);
  state = live(state, "game", game(2, ["d6", "f4", "d2"]));
  expect(state.games).toHaveLength(3);
  // A repeated ply replaces all later ones; without a number it comes last.
  state = live(state, "move", { number: 2, ply: 2, move: "b4", last: { black: { depth: 7 } } });
  expect(state.games[1]).toMatchObject({ moves: ["d6", "b4"], clocks: null, last: { black: { depth: 7 } } });
  state = live(state, "move", { number: 2, move: "g7", clocks: { white: 9 } });
  expect(state.games[1]).toMatchObject({ moves: ["d6", "b4", "g7"], clocks: { white: 9 } });
  state = live(state, "move", { number: 2, ply: 3 });
  expect(state.games[1]).toMatchObject({ moves: ["d6", "b4"], last: { black: { depth: 7 } } });
  expect(live(state, "move", { number: 2, ply: 0, move: "a1" }).games[1]?.moves).toEqual(["a1"]);
  expect(state.games[0]).toEqual(game(1));
  expect(live(state, "move", { number: 3, move: "a1" }).games[2]?.moves).toEqual(["a1"]);
  expect(
    live(live(NOTHING_LIVE, "game", { number: 1 }), "move", { number: 1, move: "a1" }).games,
  ).toMatchObject([{ moves: ["a1"], last: null }]);
  for (let number = 1; number <= 51; number++) state = live(state, "end", { number });
  expect(state.finished.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
  expect(live(state, "standings", [{ name: "a" }]).standings).toEqual([{ name: "a" }]);
  expect(live(state, "standings", { engines: [{ name: "b" }] }).standings).toEqual([{ name: "b" }]);
  expect(live(state, "standings", { engines: 5 }).standings).toEqual([]);
  expect(live(state, "over", [{ name: "a" }])).toMatchObject({ over: true, standings: [{ name: "a" }] });
  const unnumbered = live(live(NOTHING_LIVE, "game", { number: 1 }), "game", { white: "a" });
  expect(unnumbered.games[0]).toEqual({ white: "a" });
});

test("a level up or down is offered after each two games that were both won or both lost", () => {
  const games = (points: string, level = 5, rules = "morris"): Result[] =>
    Array.from(points, (one) => ({ rules, level, points: one === "=" ? 0.5 : Number(one) }));
  for (const [points, level] of [
    ["", undefined],
    ["1", undefined],
    ["11", 6],
    ["1=", undefined],
    ["10", undefined],
    ["00", 4],
    ["0=", undefined],
    ["111", undefined],
    ["1100", 6],
    ["0011", 4],
  ] as const) {
    expect(nextLevel(games(points)), points).toBe(level);
  }
  expect(nextLevel([...games("11"), ...games("1", 4)])).toBe(6);
  expect(nextLevel([...games("11"), ...games("1", 5, "smess")])).toBe(6);
  expect(nextLevel([...games("1"), ...games("1", 4)])).toBeUndefined();
  expect(nextLevel(games("11", 20))).toBeUndefined();
  expect(nextLevel(games("00", 0))).toBeUndefined();
});

test("only a finished game of a person against a computer says something about levels", () => {
  const human = { kind: "human", level: 8, time: 1000 } as const;
  const computer = { kind: "computer", level: 3, time: 1000 } as const;
  const of = (
    white: typeof human | typeof computer,
    black: typeof white,
    outcome?: "white" | "black" | "draw",
  ) => resultOf({ rules: { variant: "mlyn" }, players: { white, black }, outcome } as ListedGame)?.points;
  expect(of(human, computer, "white")).toBe(1);
  expect(of(human, computer, "black")).toBe(0);
  expect(of(computer, human, "black")).toBe(1);
  expect(of(computer, human, "draw")).toBe(0.5);
  expect(of(human, computer)).toBeUndefined();
  expect(of(human, human, "white")).toBeUndefined();
  expect(of(computer, computer, "white")).toBeUndefined();
});

import { Rules, VARIANTS } from "millbrain";
import { beforeAll, expect, test } from "vitest";
import {
  arrows,
  mills,
  MORRIS_POINTS,
  morrisLines,
  neighbour,
  type Point,
  SMESS_SQUARES,
} from "../src/board/geometry.js";
import { choice, click, type Pick } from "../src/board/pick.js";
import { follow } from "../src/board/pieces.js";
import { follow as live, NOTHING_LIVE } from "../src/engine/live.js";
import { chances, markOf, readScore, scoreText, whiteChances } from "../src/game/chances.js";
import { captured, hands, placement, readSetup, writeSetup } from "../src/game/fen.js";
import {
  emptyTree,
  isTree,
  leaf,
  line,
  moves,
  path,
  play,
  promote,
  remove,
  ROOT,
  update,
} from "../src/game/tree.js";
import { rows } from "../src/panels/rows.js";
import { tableValue } from "../src/game/tables.js";

let rules: Rules;
beforeAll(async () => {
  rules = await Rules.create();
});

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

test("chances follow the engine's model", () => {
  expect(chances({ cp: 0 })).toBe(0.5);
  // From its own figures: 150 is a win in half of the games, and lost in 34 of 1000.
  expect(chances({ cp: 150 })).toBeCloseTo(0.5 + 0.466 / 2, 2);
  expect([chances({ mate: 3 }), chances({ mate: -1 }), chances({ mate: 0 })]).toEqual([1, 0, 0]);
  expect(whiteChances({ mate: 2 }, "black")).toBe(0);
  expect([0.04, 0.05, 0.1, 0.5].map(markOf)).toEqual([undefined, "?!", "?", "??"]);
  for (const text of ["+0.35", "-1.20", "+M4", "-M2"]) expect(scoreText(readScore(text)!)).toBe(text);
  expect(readScore("x")).toBeUndefined();
});

test("boards are read and written as the engine does", () => {
  for (const variant of VARIANTS) {
    let played: string[] = [];
    for (let i = 0; i < 40; i++) {
      const state = rules.state({ variant }, { moves: played });
      const family = state.family;
      expect(
        writeSetup(readSetup(state.fen), family)
          .split(" ")
          .slice(0, family === "smess" ? 2 : 4),
      ).toEqual(state.fen.split(" ").slice(0, family === "smess" ? 2 : 4));
      const move = rules.randomMove({ variant }, { moves: played });
      if (move === null || state.ending) break;
      played = [...played, move];
    }
  }
  const fen = "OO1/3/3/6/3/3/XX1 w 7 6 0 1";
  expect(hands(fen)).toEqual({ white: 7, black: 6 });
  expect(captured(fen, 9).black).toHaveLength(1);
  expect(placement(fen).get("a1")).toEqual({ side: "black", kind: "stone" });
  const smess = captured("1ssbs2/nnnnnn1/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1", 0).black;
  expect(smess.map(({ kind }) => kind)).toEqual(["numskull", "ninny"]);
});

test("mills are those of the engine", () => {
  for (const variant of ["morris", "morabaraba"] as const) {
    let played: string[] = [];
    for (let i = 0; i < 60; i++) {
      const state = rules.state({ variant }, { moves: played });
      const men = placement(state.fen);
      for (const side of ["white", "black"] as const) {
        const told = state.facts.find(([name]) => name === `Mills ${side}`)?.[1] ?? "";
        const own = mills((point) => men.get(point)?.side === side, state.diagonals);
        const sorted = (names: readonly string[]) => [...names].sort().join();
        const expected = told === "none" ? [] : told.split(/[\s,]+/).map((mill) => sorted(mill.split("-")));
        expect(own.map(sorted).sort()).toEqual(expected.sort());
      }
      const move = rules.randomMove({ variant }, { moves: played });
      if (move === null || state.ending) break;
      played = [...played, move];
    }
  }
  expect(morrisLines(true)).toHaveLength(20);
});

test("the arrows of Smess are those of the engine", () => {
  expect(SMESS_SQUARES.reduce((sum, _, i) => sum + arrows(i).length, 0)).toBe(170);
  // A white Ninny alone with the Brains moves to exactly the squares its arrows point to, unless a Brain is there.
  SMESS_SQUARES.forEach((square, i) => {
    if (["d1", "d8"].includes(square.name)) return;
    const men = new Map([
      ["d1", { side: "white", kind: "brain" }],
      ["d8", { side: "black", kind: "brain" }],
      [square.name, { side: "white", kind: "ninny" }],
    ] as const);
    const fen = writeSetup({ men, side: "white", hands: { white: 0, black: 0 }, tail: "0 1" }, "smess");
    const legal = rules
      .state({ variant: "smess" }, { fen })
      .moves.filter((move) => move.startsWith(square.name));
    const reached = arrows(i)
      .map(([dx, dy]) => SMESS_SQUARES.find(({ x, y }) => x === square.x + dx && y === square.y + dy)!.name)
      .filter((name) => name !== "d1");
    expect(legal.map((move) => move.slice(2)).sort(), square.name).toEqual(reached.sort());
  });
});

test("arrow keys follow the lines, and every point can be reached", () => {
  const at = (name: string) => MORRIS_POINTS.find((point) => point.name === name)!;
  expect(neighbour(MORRIS_POINTS, at("d5"), "right")?.name).toBe("e5");
  expect(neighbour(MORRIS_POINTS, at("d5"), "up")?.name).toBe("d6");
  expect(neighbour(MORRIS_POINTS, at("c4"), "right")?.name).toBe("e4");
  expect(neighbour(MORRIS_POINTS, at("a7"), "left")).toBeUndefined();
  for (const points of [MORRIS_POINTS, SMESS_SQUARES]) {
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

test("men keep their identity when they move", () => {
  const before = follow([], placement("OO1/3/3/6/3/3/XX1 w 0 0"));
  const after = follow(before, placement("O1O/3/3/6/3/3/X2 b 0 0"), { from: "d7", to: "g7" });
  const id = (pieces: typeof before, point: string) => pieces.find((piece) => piece.point === point)?.id;
  expect(id(after, "g7")).toBe(id(before, "d7"));
  expect(id(after, "a7")).toBe(id(before, "a7"));
  expect(after).toHaveLength(3);
});

test("scores of tables become distances", () => {
  expect(tableValue({ mate: 3 })).toBe(3);
  expect(tableValue({ mate: -5 })).toBe(-5);
  expect(tableValue({ cp: 0 })).toBe(0);
  expect(tableValue({ cp: 979 })).toBe(11);
  expect(tableValue({ cp: -998 })).toBe(-1);
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

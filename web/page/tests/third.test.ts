import type { Layout, MoveParts, Piece } from "millbrain";
import { readFileSync } from "node:fs";
import { render } from "svelte/server";
import { describe as suite, expect, test, vi } from "vitest";
import { named, Names, type RawLayout, type RawState } from "../../engine/src/wasm/raw.js";
import Board from "../src/board/Board.svelte";
import { boardWords } from "../src/board/words.js";
import {
  chiefKind,
  choice,
  click,
  commonKind,
  describe,
  emblem,
  follow,
  fullLines,
  neighbour,
  placement,
  plan,
  put,
} from "@millbrain/board/model";

// Games unknown to the page: it knows only what an engine would report.

vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["en"] }));

/** The lines of three points on nine. */
const LINES = ["123", "456", "789", "147", "258", "369", "159", "357"].map((line) => [...line]);

/** Three in a row on nine points, with men of one kind. */
const ROWS: Layout = {
  points: Array.from({ length: 9 }, (_, i) => ({ name: String(i + 1), x: i % 3, y: Math.floor(i / 3) })),
  rows: [3, 3, 3],
  squares: false,
  lines: LINES,
  steps: LINES.flatMap(([a = "", b = "", c = ""]): [string, string][] => [
    [a, b],
    [b, c],
  ]),
  arrows: [],
  marked: [],
  kinds: [{ id: "dragon", letters: ["D", "d"] }],
  hand: 3,
  symmetries: [],
};

/** Four by four squares, one of them with an arrow, and men of two kinds. */
const SQUARES: Layout = {
  points: Array.from({ length: 16 }, (_, i) => ({
    name: `${"abcd"[i % 4]}${4 - Math.floor(i / 4)}`,
    x: i % 4,
    y: Math.floor(i / 4),
  })),
  rows: [4, 4, 4, 4],
  squares: true,
  lines: [["a4", "b4", "c4", "d4"]],
  steps: [],
  arrows: [[[1, 1]], ...Array.from({ length: 15 }, () => [])],
  marked: ["d1"],
  kinds: [
    { id: "queen", letters: ["Q", "q"] },
    { id: "ant", letters: ["A", "a"] },
  ],
  hand: 0,
  symmetries: [],
};

const dragon = (point: string, side: Piece["side"] = "white"): Piece => ({ point, side, kind: "dragon" });
const THREE = [dragon("1"), dragon("5"), dragon("9"), dragon("2", "black")];

test("a board of points is drawn with its steps", () => {
  const drawn = plan(ROWS, false);
  expect(drawn.box).toEqual({ x: -85, y: -85, width: 470, height: 470 });
  expect(drawn.wood).toEqual({ x: -60, y: -60, width: 420, height: 420 });
  expect(drawn.middle).toEqual({ x: 150, y: 150 });
  expect([drawn.spots.get("1"), drawn.spots.get("6")]).toEqual([
    { x: 0, y: 0 },
    { x: 300, y: 150 },
  ]);
  expect(drawn.steps).toContain("M0 0L150 0M150 0L300 0");
  expect(drawn.steps.split("M")).toHaveLength(17);
  // Names other than a letter with a number give no labels of columns and rows.
  expect([drawn.labels, drawn.cells]).toEqual([[], []]);
  expect(plan({ ...ROWS, points: ROWS.points.slice(0, 3) }, false).labels).toEqual([]);
  const turned = plan(ROWS, true);
  expect([turned.spots.get("1"), turned.spots.get("6")]).toEqual([
    { x: 300, y: 300 },
    { x: 0, y: 150 },
  ]);
  expect(turned.steps).toContain("M300 300L150 300M150 300L0 300");
});

test("a board of squares is drawn with its arrows and marks", () => {
  const drawn = plan(SQUARES, false);
  expect([drawn.box.width, drawn.wood, drawn.steps]).toEqual([
    470,
    { x: -54, y: -54, width: 408, height: 408 },
    "",
  ]);
  expect(drawn.cells).toHaveLength(16);
  expect(drawn.cells[0]).toEqual({
    name: "a4",
    x: 0,
    y: 0,
    isDark: false,
    isMarked: false,
    arrows: [{ x: 39, y: 39, turn: 45 }],
  });
  expect(drawn.cells[1]).toMatchObject({ isDark: true, arrows: [] });
  expect(drawn.cells.filter(({ isMarked }) => isMarked).map(({ name }) => name)).toEqual(["d1"]);
  expect(drawn.labels.map(({ text }) => text).join("")).toBe("abcd4321");
  expect([drawn.labels[1], drawn.labels[4]]).toEqual([
    { text: "b", x: 100, y: 375 },
    { text: "4", x: -69.5, y: 6 },
  ]);
  const turned = plan(SQUARES, true);
  expect(turned.cells[0]).toMatchObject({ x: 300, y: 300, arrows: [{ x: -39, y: -39, turn: -135 }] });
  expect([turned.labels[1], turned.labels[4]]).toEqual([
    { text: "b", x: 200, y: 375 },
    { text: "4", x: -69.5, y: 306 },
  ]);
  const straight = plan({ ...SQUARES, arrows: [[[0, -1]]] }, false);
  expect(straight.cells[0]?.arrows).toEqual([{ x: 0, y: -41, turn: -90 }]);
});

test("a board is drawn in the small, squares by halves if they are many", () => {
  expect(emblem(ROWS)).toContain("M3 3L18 3M18 3L33 3");
  expect(emblem(ROWS).split("M")).toHaveLength(17);
  expect(emblem(SQUARES).split("M")).toHaveLength(11);
  const long = { ...SQUARES, points: [...SQUARES.points, { name: "a5", x: 0, y: 7 }] };
  expect(emblem(long)).toBe(
    ["10.5", "14.25", "18", "21.75", "25.5"].map((x) => `M${x} 3v30`).join("") +
      ["3", "10.5", "18", "25.5", "33"].map((y) => `M10.5 ${y}h15`).join(""),
  );
});

test("lines that one side fills are shown, and no others", () => {
  const full = (pieces: readonly Piece[]) => fullLines(ROWS, placement(pieces)).map((line) => line.join(""));
  expect(full(THREE)).toEqual(["159"]);
  expect(full([dragon("1"), dragon("5"), dragon("9", "black")])).toEqual([]);
  expect(full([])).toEqual([]);
  const black = ["3", "5", "7", "1", "9"].map((point) => dragon(point, "black"));
  expect(full(black)).toEqual(["159", "357"]);
});

test("the arrow keys reach every point", () => {
  for (const { points } of [ROWS, SQUARES]) {
    const seen = new Set([points[0]!]);
    for (const point of seen) {
      for (const direction of ["left", "right", "up", "down"] as const) {
        const next = neighbour(points, point, direction);
        if (next) seen.add(next);
      }
    }
    expect(seen.size).toBe(points.length);
  }
  expect(neighbour(ROWS.points, ROWS.points[4]!, "up")?.name).toBe("2");
});

test("moves are picked by their points, whatever their texts are", () => {
  const moves: MoveParts[] = [
    { text: "drop 3", to: "3", taken: [] },
    { text: "1 to 4", from: "1", to: "4", taken: [] },
    { text: "1 to 2, burning 5 and 6", from: "1", to: "2", taken: ["5", "6"] },
  ];
  expect(choice(moves, {})).toMatchObject({ due: "from-or-to", targets: new Set(["3"]) });
  expect(click(moves, {}, "3")).toEqual({ move: "drop 3" });
  expect(click(moves, {}, "1")).toEqual({ pick: { from: "1" } });
  expect(click(moves, { from: "1" }, "4")).toEqual({ move: "1 to 4" });
  const burning = { from: "1", to: "2" };
  expect(click(moves, { from: "1" }, "2")).toEqual({ pick: burning });
  expect(choice(moves, burning)).toMatchObject({ due: "remove", removals: new Set(["5", "6"]) });
  expect(click(moves, burning, "6")).toEqual({ move: "1 to 2, burning 5 and 6" });
});

test("an editor puts men of any kind on the board and takes them away", () => {
  expect([commonKind(ROWS), chiefKind(ROWS)]).toEqual(["dragon", "dragon"]);
  expect([commonKind(SQUARES), chiefKind(SQUARES)]).toEqual(["ant", "queen"]);
  const [ant, queen] = [
    { side: "white", kind: "ant" },
    { side: "white", kind: "queen" },
  ] as const;
  const one = put([], "a1", ant);
  expect(one).toEqual([{ point: "a1", ...ant }]);
  const two = put(one, "b1", ant);
  expect(put(two, "a1", queen)).toEqual([
    { point: "b1", ...ant },
    { point: "a1", ...queen },
  ]);
  expect(put(two, "a1", { ...ant, side: "black" })).toContainEqual({
    point: "a1",
    side: "black",
    kind: "ant",
  });
  // The same man again, and the removing tool.
  expect(put(two, "a1", ant)).toEqual([{ point: "b1", ...ant }]);
  expect(put(two, "b1", undefined)).toEqual(one);
  expect(put([], "b1", undefined)).toEqual([]);
});

test("men of any kind keep their identity, and are reported by their ids", () => {
  const before = follow([], placement(THREE));
  const after = follow(before, placement([...THREE.slice(1), dragon("4")]), { from: "1", to: "4" });
  expect(after.find(({ point }) => point === "4")?.id).toBe(before.find(({ point }) => point === "1")?.id);
  const idle = {
    words: boardWords(),
    hasKinds: true,
    inMill: false,
    pick: {},
    next: choice([], {}),
    isLast: false,
  };
  expect(describe("a1", { side: "black", kind: "ant" }, idle)).toBe("a1, black ant");
});

test("the board itself shows all of it", () => {
  const moves = [{ text: "drop 3", to: "3", taken: [] }];
  const board = (layout: Layout, pieces: Piece[]) =>
    render(Board, {
      props: { layout, pieces, side: "white", label: "A board", legal: moves, onpoint: () => {} },
    }).body;
  const rows = board(ROWS, THREE);
  expect(rows.match(/data-point="\d"/g)).toHaveLength(9);
  expect(rows.match(/class="mill[ "]/g)).toHaveLength(1);
  expect(rows.match(/class="dot[ "]/g)).toHaveLength(9);
  // A kind without its own picture shows its letter.
  expect(rows.match(/>D<\/text>/g)).toHaveLength(4);
  expect(rows).toContain('aria-label="1, white, in a mill"');
  expect(rows).toContain('aria-label="3, free, can be reached"');
  const squares = board(SQUARES, [{ point: "a4", side: "black", kind: "queen" }]);
  expect(squares.match(/class="cell[ "]/g)).toHaveLength(16);
  expect(squares.match(/class="arrow[ "]/g)).toHaveLength(1);
  expect(squares).toContain(">Q</text>");
  expect(squares).toContain('aria-label="a4, black queen"');
});

/** Families of the engine's own tests, as it describes them. */
const FAMILIES = JSON.parse(
  readFileSync(new URL("../../../crates/core/tests/data/families.json", import.meta.url), "utf8"),
) as { family: string; layout: RawLayout; states: RawState[] }[];

suite.each(FAMILIES)(
  "the family $family is shown by what it tells of itself:",
  ({ layout: bare, states }) => {
    const names = new Names(named(bare));
    const { layout } = names;
    const all = states.map((state) => names.state(state));

    test("its board", () => {
      expect(emblem(layout)).not.toBe("");
      expect(plan(layout, false).spots.size).toBe(layout.points.length);
      for (const { pieces, side, moves } of all) {
        const body = render(Board, {
          props: { layout, pieces, side, label: "A board", legal: moves, onpoint: () => {} },
        }).body;
        expect(body.match(/data-point="/g)).toHaveLength(layout.points.length);
        for (const { point, side } of pieces)
          expect(body).toMatch(new RegExp(`aria-label="${point}, ${side}\\b`));
        for (const to of choice(moves, {}).targets)
          expect(body).toContain(`aria-label="${to}, free, can be reached"`);
      }
    });

    test("its moves, picked by clicks", () => {
      for (const { moves } of all) {
        for (const { text, from, to } of moves) {
          const first = from === undefined ? {} : { from };
          if (from !== undefined) expect(click(moves, {}, from)).toEqual({ pick: first });
          expect(click(moves, first, to)).toEqual({ move: text });
        }
      }
    });

    test("the figure that has won, if one has", () => {
      const figures = ["three in a line", "four in a figure"];
      for (const { pieces, ending } of all) {
        const full = fullLines(layout, placement(pieces));
        expect(full).toHaveLength(figures.includes(ending?.id ?? "") ? 1 : 0);
      }
    });
  },
);

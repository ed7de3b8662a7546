import type { MoveParts } from "millbrain";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import {
  NONE,
  OPENING_PLIES,
  openingOf,
  positionKey,
  waysOf,
  withResult,
} from "../src/explorer/positions.js";
import { valuesInGame } from "../src/game/tables.js";
import { line } from "../src/game/tree.js";

// Browser properties that the page reads at its start.
vi.hoisted(() => {
  vi.stubGlobal("navigator", { languages: ["en"] });
  vi.stubGlobal("document", { baseURI: "https://example.org/" });
});

beforeAll(() => loadRules());

/** Returns a game with this many moves, chosen by a seed. */
function game(variant: string, plies: number, seed: number): MoveParts[] {
  const played: MoveParts[] = [];
  for (let chosen = seed; played.length < plies; chosen = (chosen * 7919 + 13) % 100_003) {
    const { moves } = rules().state({ variant }, { moves: played.map(({ text }) => text) });
    const move = moves[chosen % Math.max(1, moves.length)];
    if (move === undefined) break;
    played.push(move);
  }
  return played;
}

test("positions that a symmetry makes of each other have one key, and others another", () => {
  for (const { name: variant, layout } of rules().variants()) {
    const { points, symmetries } = layout;
    const places = new Map(points.map(({ name }, i) => [name, i]));
    expect(symmetries.length).toBeGreaterThan(0);
    const keys = new Set<string>();
    for (const [i, image] of symmetries.entries()) {
      const turn = (name: string) => points[image[places.get(name) as number] as number]?.name;
      const played = game(variant, 22, i + 1);
      const turned = played.map(({ from, to, taken }) => {
        const names = [...(from === undefined ? [] : [from]), to].map(turn).join("");
        return names + taken.map((name) => `x${turn(name)}`).join("");
      });
      const key = (moves: readonly string[]) => positionKey(rules().state({ variant }, { moves }), layout);
      for (let ply = 0; ply <= played.length; ply += 4) {
        const one = key(played.slice(0, ply).map(({ text }) => text));
        expect(key(turned.slice(0, ply)), `${variant}: ${turned.slice(0, ply).join(" ")}`).toBe(one);
        keys.add(one);
      }
    }
    // All begin alike, and hardly two continue alike.
    expect(keys.size).toBeGreaterThan(symmetries.length * 2);
  }
});

test("moves that are the same by symmetry are one", () => {
  const counts = (moves: string[]) =>
    waysOf({ variant: "morris" }, undefined, moves)
      .map((way) => way.moves.length)
      .sort((a, b) => a - b);
  expect(counts([])).toEqual([4, 4, 8, 8]);
  // With a stone on d6 only left and right, and the inner and outer ring, are symmetric.
  expect(counts(["d6"]).reduce((sum, n) => sum + n)).toBe(23);
  expect(Math.max(...counts(["d6"]))).toBe(4);
  expect(new Set(counts(["d6", "a1", "c5"]))).toEqual(new Set([1]));
  const smess = waysOf({ variant: "smess" }, undefined, []);
  expect(smess.every(({ moves }) => moves.length === 1)).toBe(true);
});

test("a move that repeats a position for the third time is drawn, whatever the tables say", () => {
  const cycle = ["b2b1", "a2a1", "b1b2", "a1a2"];
  const played = ["a3", "c1", "c3", "b3", "b2", "a2", ...cycle, ...cycle.slice(0, 3)];
  const three = { variant: "three" };
  const { moves } = rules().state(three, { moves: played });
  const known = new Map(
    moves.map(({ text }) => [text, { value: "loss", moves: 3, isDoubtful: false }] as const),
  );
  const values = valuesInGame(three, { moves: played }, known);
  expect([...values].filter(([, { value }]) => value !== "loss")).toEqual([
    ["a1a2", { value: "draw", isDoubtful: false }],
  ]);
  // Its mirror image repeats nothing.
  const ways = waysOf(three, undefined, played).map(({ moves }) => moves.join(" "));
  expect(ways.sort()).toEqual(["a1a2", "a1b1 c1b1", "c1c2"]);
});

test("an opening ends, and results are counted", () => {
  const moves = game("morris", OPENING_PLIES + 4, 5).map(({ text }) => text);
  const of = (played: string[]) => openingOf({ variant: "morris" }, undefined, ...line(played)).length;
  expect(of(moves.slice(0, 3))).toBe(4);
  // The move after the last position is known, too.
  expect(of(moves)).toBe(OPENING_PLIES + 2);
  const outcomes = ["white", "draw", "draw", undefined, "none"] as const;
  expect(outcomes.reduce(withResult, NONE)).toEqual({ games: 3, white: 1, draws: 2, black: 0 });
});

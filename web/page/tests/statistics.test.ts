import { expect, test } from "vitest";
import { emptyTree, play, ROOT } from "../src/game/tree.js";
import type { Player } from "../src/game/players.js";
import { emptied, partsOf, readStatistics, withGame, withKey } from "../src/store/games/statistics.js";
import type { ListedGame } from "../src/store/games/stored.js";

const NONE = readStatistics(null);
const human: Player = { kind: "human", level: 8, time: 1000 };
const computer = (level: number): Player => ({ kind: "computer", level, time: 1000 });

/** Returns a game of two moves that were played here, won by White, who is a person. */
function game(key: string, changes: Partial<ListedGame> = {}): ListedGame {
  const [first, one] = play(emptyTree(), ROOT, "d6", { time: 5 });
  const [tree, at] = play(first, one, "f4", { time: 7 });
  const players = { white: human, black: computer(8) };
  const rules = { variant: "morris" };
  return {
    key,
    saved: 1,
    rules,
    tree,
    at,
    players,
    white: "a",
    black: "b",
    plies: 2,
    outcome: "white",
    ...changes,
  };
}
const after = (...games: ListedGame[]) => games.reduce(withGame, NONE);

test("games are counted by variant, house rules and level, from the side of the person", () => {
  const swapped = { white: computer(8), black: human };
  const counted = after(
    game("a"),
    game("b", { players: swapped }),
    game("c", { outcome: "draw" }),
    game("d", { players: swapped, outcome: "black" }),
    game("e", { players: { white: human, black: computer(3) }, outcome: "black" }),
    game("f", { rules: { variant: "morris", options: { Stones: 7 } } }),
    game("g", { rules: { variant: "smess" } }),
  );
  const row = { variant: "morris", house: false, won: 0, drawn: 0, lost: 1 };
  expect(partsOf(counted, ["smess", "lasker", "morris"])).toEqual([
    {
      variant: "smess",
      house: false,
      rows: [{ ...row, variant: "smess", level: 8, won: 1, lost: 0 }],
      sum: { won: 1, drawn: 0, lost: 0 },
    },
    {
      variant: "morris",
      house: false,
      rows: [
        { ...row, level: 3 },
        { ...row, level: 8, won: 2, drawn: 1, lost: 1 },
      ],
      sum: { won: 2, drawn: 1, lost: 2 },
    },
    {
      variant: "morris",
      house: true,
      rows: [{ ...row, house: true, level: 8, won: 1, lost: 0 }],
      sum: { won: 1, drawn: 0, lost: 0 },
    },
  ]);
  expect(readStatistics(JSON.stringify(counted))).toEqual(counted);
});

test("a game counts once: not again after a take-back, a reload or under another key", () => {
  const once = after(game("a"));
  expect(once.rows).toHaveLength(1);
  expect(withGame(once, game("a", { outcome: "black" }))).toBe(once);
  const reloaded = readStatistics(JSON.stringify(once));
  expect(withGame(reloaded, game("a"))).toBe(reloaded);
  const moved = withKey(once, "a", "b");
  expect(withGame(moved, game("b"))).toBe(moved);
  expect(withKey(once, "unknown", "b")).toBe(once);
  const without = emptied(once);
  expect(without.rows).toEqual([]);
  expect(withGame(without, game("a"))).toBe(without);
  expect(withGame(without, game("b")).rows).toEqual(once.rows);
});

test("what is no whole game of one person against a computer does not count", () => {
  const [linked, at] = play(emptyTree(), ROOT, "d6");
  const [continued, end] = play(linked, at, "f4", { time: 5 });
  for (const changes of [
    { outcome: undefined },
    { players: undefined },
    { players: { white: human, black: human } },
    { players: { white: computer(2), black: computer(8) } },
    { fen: "3/3/3/3X3/3/3/3 b 8 9 0 1" },
    { tree: emptyTree(), at: ROOT },
    { tree: continued, at: end },
  ] satisfies Partial<ListedGame>[])
    expect(withGame(NONE, game("a", changes)), JSON.stringify(changes)).toBe(NONE);
});

test("of the keys the latest thousand are kept", () => {
  const many = { rows: [], counted: Array.from({ length: 1000 }, (_, i) => `k${i}`) };
  const { counted } = withGame(many, game("a"));
  expect([counted.length, counted[0], counted.at(-1)]).toEqual([1000, "k1", "a"]);
});

test("whatever is stored, what can be read of it is kept", () => {
  for (const text of [null, "", "{", "null", "5", "[]", '"a"', '{"rows":5,"counted":[5]}'])
    expect(readStatistics(text), String(text)).toEqual({ rows: [], counted: [] });
  const [row] = after(game("a")).rows;
  const bad = [{ ...row, won: -1 }, { ...row, level: 21 }, { ...row, lost: 0.5 }, { level: 3 }, null, "a"];
  expect(readStatistics(JSON.stringify({ rows: [...bad, row] })).rows).toEqual([row]);
});

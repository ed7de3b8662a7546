import type { GameFormat, GameText } from "millbrain";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { writeLink } from "../src/game/share.js";
import { inSlices } from "../src/game/slices.js";
import { sourceOf } from "../src/game/source.js";
import { lineOf } from "../src/game/text.js";
import { moves } from "../src/game/tree.js";
import { rulesFor } from "../src/store/games/intake.svelte.js";
import { readAll } from "../src/store/games/read.js";

// Browser properties that the page reads at its start.
vi.hoisted(() => {
  vi.stubGlobal("navigator", { languages: ["en"] });
  vi.stubGlobal("document", { baseURI: "https://example.org/" });
});

beforeAll(() => loadRules());

const MORRIS = { variant: "morris" } as const;
const LINES = [["d6", "f4"], ["a7", "d2", "d7", "d1", "g7xd1"], ["a1"]];
const FORMATS = ["record", "sgf", "sanmill", "mif"] as const satisfies readonly GameFormat[];
const NOBODY = new AbortController().signal;

const game = (line: readonly string[], names = "A"): GameText => ({
  ...MORRIS,
  white: `${names} [)] "x" \\`,
  black: "B",
  nodes: lineOf(line.map((move) => ({ move }))),
});
const write = (line: readonly string[], format: GameFormat) => rules().writeGame(game(line), format);
const linesOf = (games: Awaited<ReturnType<typeof readAll>>["games"]) =>
  games.map(({ tree, at }) => moves(tree, at));

test("each game of a text comes by itself, in every form and with any space between", async () => {
  for (const format of FORMATS) {
    const texts = LINES.map((line) => write(line, format));
    for (const between of ["\n", "\r\n\n", " \n\n"]) {
      const text = `\uFEFF\n${texts.join(between)}\n`;
      const pieces = [...rules().splitGames(text)];
      expect(pieces.map((piece) => piece.text.trim())).toEqual(texts.map((one) => one.trim()));
      for (const [i, { line }] of pieces.entries())
        expect(text.split("\n")[line - 1]?.replace("\uFEFF", "")).toContain(texts[i]?.split("\n")[0]?.trim());
      const { games, bad } = await readAll(text, MORRIS, NOBODY);
      expect(linesOf(games)).toEqual(LINES);
      expect(bad).toEqual([]);
    }
  }
});

test("one game stays one: rows with dots, and comments that look like the next game", () => {
  for (const text of [
    "1. d6\n1... f4\n2. a1",
    "1. d6 {then\n1. f4\n[or] so} f4\n2. a1",
    "d6 f4 a1",
    "{ a comment } 1. d6 f4",
    `(;GM[5]C[a \\] ) (;]\n(;W[d6])(;W[f4]))`,
    '[Variant "morris"]\n\n1. d6 f4\n\n2. a1',
  ])
    expect([...rules().splitGames(text)].map((piece) => piece.text)).toEqual([text]);
  expect([...rules().splitGames("")].length + [...rules().splitGames("\uFEFF \n")].length).toBe(0);
});

test("bad games are counted and reported with their place, and the good ones are read", async () => {
  const [first, second, third] = LINES.map((line) => write(line, "record")) as [string, string, string];
  const torn = second.replace("d1 ", "a7 ");
  expect(torn).not.toBe(second);
  const text = [first, torn, third, first.replace("d6 ", "d9 ")].join("\n");
  const shares: number[] = [];
  const { games, bad } = await readAll(text, MORRIS, NOBODY, (share) => shares.push(share));
  expect(linesOf(games)).toEqual([LINES[0], LINES[2]]);
  expect(bad.map(({ number }) => number)).toEqual([2, 4]);
  expect(text.split("\n")[(bad[0]?.line ?? 0) - 1]).toBe(torn.split("\n")[0]);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares).toHaveLength(4);
  expect(shares[3]).toBe(1);
  expect(bad[0]?.fault.message).toContain("move");
  expect(await readAll(" \n", MORRIS, NOBODY)).toEqual({ games: [], bad: [] });
});

test("work is done in order, in slices, and no further once it is called off", async () => {
  let [time, turns] = [0, 0];
  const pace = { now: () => time, turn: async () => void (turns += 1) };
  const done: number[] = [];
  const numbers = [...Array(20).keys()];
  const work = (n: number) => {
    done.push(n);
    time += 4;
  };
  await inSlices(numbers, work, NOBODY, pace);
  expect(done).toEqual(numbers);
  // With items of 4 ms, three take more than the 10 of a slice.
  expect(turns).toBe(6);

  const controller = new AbortController();
  done.length = turns = 0;
  const halting = { ...pace, turn: async () => (++turns === 2 ? controller.abort() : undefined) };
  await expect(inSlices(numbers, work, controller.signal, halting)).rejects.toThrow();
  expect(done).toEqual(numbers.slice(0, 6));
  await expect(inSlices([], work, controller.signal, pace)).rejects.toThrow();
});

test("a cancel between games ends the reading", async () => {
  const text = Array(40)
    .fill(write(["d6", "f4"], "record"))
    .join("\n");
  const controller = new AbortController();
  let read = 0;
  const reading = readAll(text, MORRIS, controller.signal, () => {
    if (++read === 20) controller.abort(new Error("called off"));
  });
  await expect(reading).rejects.toThrow("called off");
  expect(read).toBe(20);
});

test("links, positions and games are reported apart", () => {
  const fen = rules().state(MORRIS, { moves: ["d6", "f4"] }).fen;
  const link = writeLink({ rules: MORRIS, fen, moves: ["a1"] });
  for (const around of ["", "https://example.org/a/mlyn.html", "file:///home/x/index.html"])
    expect(sourceOf(` <${around}${link}>\n`)).toEqual({ kind: "link", hash: link });
  expect(sourceOf("https://example.org/a/b/")).toEqual({ kind: "link", hash: "" });
  for (const { name } of rules().variants()) {
    const { fen } = rules().state({ variant: name });
    expect(sourceOf(`\n${fen} \n`)).toEqual({ kind: "fen", fen });
  }
  const sanmill = "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1";
  expect(sourceOf(sanmill)).toEqual({ kind: "fen", fen: sanmill });
  const texts = FORMATS.flatMap((format) => LINES.map((line) => write(line, format)));
  for (const text of [...texts, "d6 f4 1/2-1/2", "d6,f4", "", `${fen}\n${fen}`])
    expect(sourceOf(text)).toEqual({ kind: "games" });
});

test("a position has the rules on the board, or those of the first variant that takes it", () => {
  const variants = rules().variants();
  for (const { name } of variants) {
    const { fen } = rules().state({ variant: name });
    expect(rulesFor(fen, { variant: name })).toEqual({ variant: name });
    for (const other of variants) {
      const found = rulesFor(fen, { variant: other.name });
      expect(rules().state(found, { fen }).fen).toBeTruthy();
    }
  }
  const smess = rules().state({ variant: "smess" }).fen;
  expect(rulesFor(smess, MORRIS)).toEqual({ variant: "smess" });
  const house = { variant: "mlyn", options: { Flying: true } } as const;
  expect(rulesFor(rules().state(house).fen, house)).toEqual(house);
  // Reported by the rules of a similar board.
  const torn = smess.replace(/^\S/, "!");
  expect(() => rulesFor(torn, MORRIS)).toThrow("character '!' in row 1");
});

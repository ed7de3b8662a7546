import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import type { Position, Rules, Ruleset } from "millbrain";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { other } from "../src/game/text.js";
import { closingMove, type DiagramId, diagramsOf, flies, takeable } from "../src/learn/diagrams.js";
import { Exercise, type Task } from "../src/learn/exercise.svelte.js";
import { LANGS } from "../src/i18n/langs.js";
import { answers, type Goal, isMet } from "../src/learn/goals.js";
import { allLessons, LESSONS } from "../src/learn/lessons.js";
import {
  type Progress,
  readProgress,
  solverOf,
  withLateSolution,
  withLesson,
  withTry,
} from "../src/learn/progress.js";
import { dayOf, type Puzzle, puzzleId, puzzleOfDay, readPuzzles } from "../src/learn/puzzles.js";
import {
  choosePuzzle,
  FIRST_RATING,
  LEAST_RATING,
  MOST_RATING,
  puzzleRating,
  rate,
} from "../src/learn/rating.js";
import { lessonTask, puzzleTask } from "../src/learn/tasks.js";
import { de } from "../src/texts/de/learn.js";
import { en } from "../src/texts/en/learn.js";
import { sk } from "../src/texts/sk/learn.js";

// Reduced motion: nothing waits.
vi.hoisted(() => {
  vi.stubGlobal("navigator", { languages: ["en"] });
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  vi.stubGlobal("document", { baseURI: "http://x/" });
});

let rules: Rules;
beforeAll(async () => {
  await loadRules();
  rules = engineRules();
});

const lessons = Object.entries(LESSONS).flatMap(([family, list]) =>
  list.map((lesson) => ({ family, lesson, task: lessonTask(lesson) })),
);
const folder = new URL("../src/learn/puzzles/", import.meta.url);
const SETS = new Map(
  readdirSync(folder).map((name) => [
    name.replace(".jsonl", ""),
    readPuzzles(readFileSync(new URL(name, folder), "utf8")),
  ]),
);

/** Returns an exercise after these moves of the learner. */
async function after(task: Task, moves: readonly string[]): Promise<Exercise> {
  const exercise = new Exercise(task);
  for (const move of moves) {
    expect(exercise.legal.map(({ text }) => text)).toContain(move);
    await exercise.play(move);
  }
  return exercise;
}

test("each family has lessons, each with its texts", () => {
  expect(Object.keys(LESSONS).sort()).toEqual(
    [...new Set(rules.variants().map(({ family }) => family))].sort(),
  );
  for (const list of Object.values(LESSONS)) expect(list.length).toBeGreaterThanOrEqual(3);
  for (const lang of LANGS) {
    const file = new URL(`../src/texts/${lang}/lessons.json`, import.meta.url);
    const texts = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<"title" | "text", string>>;
    expect(Object.keys(texts).sort()).toEqual(lessons.map(({ lesson }) => lesson.id).sort());
    for (const { title, text } of Object.values(texts)) {
      expect(title.length, text).toBeGreaterThan(3);
      expect(text.length, title).toBeGreaterThan(3);
      // One to three sentences.
      expect(text.split(/[.:?](?: |$)/).length, text).toBeLessThanOrEqual(5);
    }
  }
  for (const texts of [en, de, sk]) for (const text of Object.values(texts)) expect(text).not.toBe("");
});

test("lessons begin on the smallest board, and lead from game to game", () => {
  const sizes = allLessons().map(({ rules: own }) => rules.layout(own).points.length);
  expect(sizes).toHaveLength(lessons.length);
  expect(new Set(sizes).size).toBeGreaterThan(1);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
});

test("the solution of each lesson does what is asked for, and shows itself", async () => {
  for (const { lesson, task } of lessons) {
    const exercise = await after(task, lesson.solution);
    expect(exercise.stage, lesson.id).toBe("done");
    const shown = new Exercise(task);
    await shown.show();
    expect([shown.stage, shown.moves], lesson.id).toEqual(["shown", exercise.moves]);
  }
});

test("whatever right move one makes in a lesson, its end can be reached; and not every move is right", async () => {
  for (const { lesson, task } of lessons) {
    const { fen } = lesson;
    let [right, wrong, deepest] = [0, 0, 0];
    /** Whether the lesson can be completed from here. */
    const canEnd = (moves: readonly string[]): boolean => {
      deepest = Math.max(deepest, moves.length);
      const state = rules.state(lesson.rules, { fen, moves });
      let isReached = false;
      for (const { text } of state.moves) {
        const verdict = task.judge([...moves, text]);
        if (verdict.is === "wrong") wrong += 1;
        else right += 1;
        if (verdict.is === "wrong") continue;
        if (verdict.is === "done") isReached = true;
        else if (verdict.reply === undefined) throw new Error(`${lesson.id}: no reply to ${text}`);
        else if (canEnd([...moves, text, verdict.reply])) isReached = true;
        // A move accepted as right leads on.
        else throw new Error(`${lesson.id}: no way on after ${text}`);
      }
      return isReached;
    };
    expect(canEnd([]), lesson.id).toBe(true);
    expect(right, lesson.id).toBeGreaterThan(0);
    expect(wrong, lesson.id).toBeGreaterThan(0);
    expect(deepest, lesson.id).toBeGreaterThanOrEqual(2 * (lesson.solution.length - 1));
  }
});

test("goals are judged by what the rules make of a move", () => {
  const morris = { variant: "morris" };
  const meets = (goal: Goal, position: Position, variant = "morris") => isMet(goal, { variant }, position);
  const two: Position = { fen: "OO1/3/3/6/3/X1X/3 w 7 7" };
  const played = (move: string): Position => ({ ...two, moves: [move] });
  expect(meets({ takes: true }, played("g7xf2"))).toBe(true);
  expect(meets({ takes: true }, played("d2"))).toBe(false);
  expect(meets({ safe: true }, played("d2"))).toBe(true);
  expect(meets({ safe: true }, played("a1"))).toBe(false);
  expect(meets({ places: true, to: ["a1", "d1"] }, played("a1"))).toBe(true);
  expect(meets({ places: true, to: ["a1", "d1"] }, played("g1"))).toBe(false);
  expect(answers(morris, played("a1"), "takes").every((move) => move.startsWith("d2x"))).toBe(true);
  const slide = { fen: "OO1/3/3/2X2O/3/3/XX1 w 0 0 0 1" };
  expect(meets({ places: true }, { ...slide, moves: ["a7a4"] })).toBe(false);
  expect(meets({ wins: true }, { ...slide, moves: ["g4g7xa1"] })).toBe(true);
  expect(meets({ wins: true }, { ...slide, moves: ["a7a4"] })).toBe(false);
  const attacked = "3b3/2n4/7/3s3/7/4N1N/3B3/7 w";
  expect(meets({ survives: true }, { fen: attacked, moves: ["d2e2"] }, "smess")).toBe(true);
  expect(meets({ survives: true }, { fen: attacked, moves: ["g3g2"] }, "smess")).toBe(false);
  expect(meets({ promotes: true }, { fen: "6b/2N4/7/7/7/7/7/3B3 w", moves: ["c7c8"] }, "smess")).toBe(true);
  expect(meets({ promotes: true }, { fen: "6b/2N4/7/7/7/7/7/3B3 w", moves: ["c7b7"] }, "smess")).toBe(false);
});

test("a wrong move is answered, taken back and counted once", async () => {
  const block = lessons.find(({ lesson }) => lesson.id === "block")!;
  const first: boolean[] = [];
  let done = 0;
  const exercise = new Exercise(block.task, { onFirst: (is) => first.push(is), onDone: () => (done += 1) });
  exercise.click("a7");
  expect(exercise.stage).toBe("wrong");
  expect(exercise.verdict).toMatchObject({ is: "wrong", why: "not.safe" });
  expect(exercise.refutation?.to).toBe("d2");
  // No move is possible until it is taken back.
  exercise.click("d2");
  expect(exercise.moves).toEqual(["a7"]);
  exercise.retry();
  expect([exercise.moves, exercise.refutation]).toEqual([[], undefined]);
  await exercise.play("castles");
  expect(exercise.moves).toEqual([]);
  await exercise.play("d2");
  expect([exercise.stage, exercise.misses, first, done]).toEqual(["done", 1, [false], 1]);
});

test("every puzzle can be played as it is written", async () => {
  const variants = rules.variants().map(({ name }) => name);
  expect([...SETS.keys()].filter((variant) => !variants.includes(variant))).toEqual([]);
  for (const [variant, puzzles] of SETS) {
    expect(puzzles.length, variant).toBeGreaterThanOrEqual(100);
    expect(new Set(puzzles.map(puzzleId)).size, variant).toBe(puzzles.length);
    for (const puzzle of puzzles) {
      expect(puzzle.variant).toBe(variant);
      const task = puzzleTask(puzzle);
      // The rules verify that the whole line is legal, and a win is played to the end.
      const line = [...puzzle.solution, ...puzzle.rest];
      const state = rules.state(task.rules, { fen: puzzle.fen, moves: line });
      expect(puzzle.plies ?? 0).toBe(puzzle.goal === "win" ? line.length : 0);
      expect(line.length).toBeLessThanOrEqual(puzzle.goal === "win" ? 11 : 5);
      if (puzzle.goal === "win") expect(state.ending?.winner).toBe(other(state.side));
      for (const [move, reply] of Object.entries(puzzle.wrong))
        rules.state(task.rules, { fen: puzzle.fen, moves: [move, reply] });
      expect(puzzle.solution.length % 2).toBe(1);
      expect(task.judge(puzzle.solution).is).toBe("done");
      expect(task.solution).toHaveLength((puzzle.solution.length + 1) / 2);
    }
    // Difficulties are spread: no three of them have half of the puzzles.
    const counts = Array.from({ length: 14 }, (_, n) => puzzles.filter((one) => one.difficulty === n).length);
    const largest = [...counts].sort((a, b) => b - a).slice(0, 3);
    expect(
      largest.reduce((sum, n) => sum + n),
      variant,
    ).toBeLessThan(puzzles.length / 2);
    const long = puzzles.find(({ solution }) => solution.length > 1) ?? puzzles[0]!;
    expect((await after(puzzleTask(long), puzzleTask(long).solution)).stage).toBe("done");
  }
});

test("a wrong move in a puzzle is refuted by whoever knows", async () => {
  const puzzle = SETS.get("muehle")![0]!;
  const refute = vi.fn(() => Promise.resolve(undefined as string | undefined));
  const exercise = new Exercise({ ...puzzleTask(puzzle), refute });
  const known = [puzzle.solution[0], ...Object.keys(puzzle.wrong)];
  const other = exercise.legal.find(({ text }) => !known.includes(text))!;
  const reply = rules.state({ variant: "muehle" }, { fen: puzzle.fen, moves: [other.text] }).moves[0]!;
  refute.mockResolvedValue(reply.text);
  await exercise.play(other.text);
  expect([exercise.stage, exercise.refutation?.text]).toEqual(["wrong", reply.text]);
  expect(exercise.verdict).toEqual({ is: "wrong", why: `wrong.${puzzle.goal}` });
  // A failed reply is not shown, nor a late one to a move that was taken back.
  for (const late of [Promise.reject(new Error("no engine")), Promise.resolve(reply.text)]) {
    refute.mockReturnValueOnce(late as Promise<string | undefined>);
    exercise.retry();
    const played = exercise.play(other.text);
    if (refute.mock.calls.length === 3) exercise.retry();
    await played;
    expect(exercise.refutation).toBeUndefined();
  }
});

test("the puzzle knows the reply to a likely wrong move, and the last move of a win may be another that ends the game", async () => {
  const base = { variant: "morris", goal: "win" as const, rest: [], difficulty: 0, themes: [] };
  // White closes a mill, and one of two stones may be taken: Black has two stones left.
  const puzzle: Puzzle = {
    ...base,
    fen: "OO1/3/3/2X2O/3/3/XX1 w 0 0",
    plies: 1,
    solution: ["g4g7xa1"],
    wrong: { a7a4: "a1a7" },
  };
  const task = puzzleTask(puzzle);
  expect(task.judge(["g4g7xa1"])).toEqual({ is: "done" });
  expect(task.judge(["g4g7xd1"])).toEqual({ is: "done" });
  expect(task.judge(["a7a4"])).toEqual({ is: "wrong", why: "wrong.end", reply: "a1a7" });
  expect(task.judge(["d7d6"])).toEqual({ is: "wrong", why: "wrong.end" });
  const exercise = new Exercise(task);
  exercise.look(["a7a4"]);
  expect(exercise.moves).toEqual([]);
  await exercise.play("g4g7xd1");
  // Afterwards any line can be looked at.
  exercise.look(["a7a4"], "a1a7");
  expect([exercise.stage, exercise.moves, exercise.refutation?.to]).toEqual(["done", ["a7a4"], "a7"]);
  exercise.look(task.line ?? []);
  expect([exercise.moves, exercise.refutation]).toEqual([["g4g7xa1"], undefined]);
});

test("pictures of the rules follow the board and the rules", () => {
  const of = (ruleset: Ruleset) => new Map(diagramsOf(ruleset).map((diagram) => [diagram.id, diagram.state]));
  const withLines = rules.variants().filter(({ name }) => rules.layout({ variant: name }).lines.length > 0);
  for (const { name: variant } of withLines) {
    const layout = rules.layout({ variant });
    const pictures = of({ variant });
    expect(pictures.size, variant).toBeGreaterThan(1);
    for (const id of ["mill", "allInMills"] as const) {
      const state = pictures.get(id);
      if (state) expect(closingMove(layout, state), variant).toBeDefined();
    }
  }
  const takes = (variant: string, id: DiagramId) => takeable(of({ variant }).get(id)!);
  expect(takes("morris", "mill")).toHaveLength(2);
  expect(takes("morris", "allInMills")).toHaveLength(3);
  expect(takes("mylos", "allInMills")).toEqual([]);
  const fly = (ruleset: Ruleset) => flies(rules.layout(ruleset), of(ruleset).get("flying")!);
  expect([fly({ variant: "morris" }), fly({ variant: "mlyn" })]).toEqual([true, false]);
  expect(fly({ variant: "morris", options: { Flying: false } })).toBe(false);
  // Stones slide while others are in hand.
  expect(
    of({ variant: "lasker" })
      .get("mill")!
      .moves.some(({ from }) => from !== undefined),
  ).toBe(true);
  expect(diagramsOf({ variant: "smess" })).toEqual([]);
});

const puzzles = (difficulties: readonly number[]): Puzzle[] =>
  difficulties.map((difficulty, i) => ({
    variant: "morris",
    fen: String(i),
    goal: "win",
    solution: ["d6"],
    rest: [],
    wrong: {},
    difficulty,
    themes: [],
  }));
const anyPuzzles = fc.array(fc.nat(13), { minLength: 1, maxLength: 40 }).map(puzzles);
const rating = fc.integer({ min: LEAST_RATING, max: MOST_RATING });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("a day has its puzzle, and all come before one comes again", () => {
  expect(dayOf(new Date(2026, 0, 2, 0, 0)) - dayOf(new Date(2026, 0, 1, 23, 59))).toBe(1);
  expect(dayOf(new Date(2026, 6, 1, 0, 1))).toBe(dayOf(new Date(2026, 6, 1, 23, 59)));
  fc.assert(
    fc.property(anyPuzzles, fc.nat(30_000), (all, day) => {
      const seen = new Set(all.map((_, i) => puzzleOfDay(all, day + i)));
      expect(seen.size).toBe(all.length);
    }),
  );
  expect(puzzleOfDay([], 3)).toBeUndefined();
});

test("ratings go up with what is solved and down with what is not, within bounds", () => {
  fc.assert(
    fc.property(rating, fc.nat(13), fc.nat(100), (player, difficulty, played) => {
      const puzzle = puzzleRating({ difficulty });
      const [up, down] = [rate(player, puzzle, true, played), rate(player, puzzle, false, played)];
      expect(down).toBeLessThanOrEqual(player);
      expect(up).toBeGreaterThanOrEqual(player);
      expect([up, down].every((n) => LEAST_RATING <= n && n <= MOST_RATING && Number.isInteger(n))).toBe(
        true,
      );
      // A difficult one is worth more.
      expect(rate(player, puzzle + 150, true, played)).toBeGreaterThanOrEqual(up);
    }),
  );
});

test("the next puzzle is a new one that fits the player", () => {
  fc.assert(
    fc.property(anyPuzzles, rating, rating, chance, (all, one, other, chance) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const difficulty = (rating: number) => choosePuzzle(all, { rating, tried: {} }, chance)!.difficulty;
      expect(difficulty(low)).toBeLessThanOrEqual(difficulty(high));
      // None is repeated before all have come.
      const tried: Record<string, boolean> = {};
      let last: string | undefined;
      for (let n = 0; n < all.length; n += 1) {
        const next = choosePuzzle(all, { rating: one, tried, last }, chance)!;
        last = puzzleId(next);
        expect(tried[last]).toBeUndefined();
        tried[last] = n % 2 === 0;
      }
      // Then the missed ones, and never the same at once.
      const again = choosePuzzle(all, { rating: one, tried, last }, chance)!;
      if (all.length > 1) expect(puzzleId(again)).not.toBe(last);
      const hasMissed = Object.entries(tried).some(([id, isSolved]) => !isSolved && id !== last);
      if (hasMissed) expect(tried[puzzleId(again)]).toBe(false);
    }),
  );
  expect(choosePuzzle([], { rating: 1000, tried: {} }, 0)).toBeUndefined();
});

test("a player of some strength is led to puzzles of that strength", () => {
  const all = puzzles(Array.from({ length: 360 }, (_, i) => i % 14));
  for (const strength of [800, 1100, 1500, 1800]) {
    let now: Progress = readProgress(null);
    let seed = 1;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let n = 0; n < 120; n += 1) {
      const solver = solverOf(now, "morris");
      const puzzle = choosePuzzle(all, solver, random())!;
      const isSolved = random() < 1 / (1 + 10 ** ((puzzleRating(puzzle) - strength) / 400));
      now = withTry(now, puzzle, { isSolved });
    }
    const { rating, best, row } = solverOf(now, "morris");
    expect(Math.abs(rating - strength), `${strength}: ${rating}`).toBeLessThan(200);
    expect(best).toBeGreaterThanOrEqual(row);
  }
});

test("progress comes back as it was stored, and anything else begins anew", () => {
  const act = fc.oneof(
    fc.record({ n: fc.nat(8), isSolved: fc.boolean(), day: fc.option(fc.nat(9), { nil: undefined }) }),
    fc.constantFrom("morris.mill", "smess.net"),
    fc.nat(8),
  );
  const some = puzzles([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  fc.assert(
    fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
      let now = readProgress(null);
      for (const act of acts) {
        if (typeof act === "string") now = withLesson(now, act);
        else if (typeof act === "number") now = withLateSolution(now, some[act]!);
        else now = withTry(now, some[act.n]!, act);
      }
      expect(readProgress(JSON.stringify(now))).toEqual(now);
      expect(new Set(now.lessons).size).toBe(now.lessons.length);
    }),
  );
  const fresh = { lessons: [], solvers: {} };
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const read = readProgress(text);
      expect(readProgress(JSON.stringify(read))).toEqual(read);
      if (!/lessons|solvers/.test(text)) expect(read).toEqual(fresh);
    }),
  );
  // Unreadable parts are skipped; the rest remains.
  const broken = {
    lessons: ["morris.mill"],
    solvers: { morris: { rating: 1e9, row: 3, tried: { a: true } }, smess: 7 },
  };
  const read = readProgress(JSON.stringify(broken));
  expect(read.lessons).toEqual(["morris.mill"]);
  expect(solverOf(read, "morris")).toMatchObject({ rating: FIRST_RATING, row: 3, tried: { a: true } });
  expect(solverOf(read, "smess")).toMatchObject({ rating: FIRST_RATING, row: 0 });
});

test("days in a row are those of which the puzzle was solved at once", () => {
  const [a, b, c, d] = puzzles([1, 2, 3, 4]) as [Puzzle, Puzzle, Puzzle, Puzzle];
  const days = (now: Progress) => [solverOf(now, "morris").days, solverOf(now, "morris").daySolved];
  let now = withTry(readProgress(null), a, { isSolved: true, day: 10 });
  expect(days(now)).toEqual([1, true]);
  now = withTry(now, b, { isSolved: true, day: 11 });
  expect(days(now)).toEqual([2, true]);
  // Repeated, it neither breaks the run nor counts twice.
  const again = withTry(now, b, { isSolved: false, day: 11 });
  expect([days(again), solverOf(again, "morris").rating]).toEqual([
    [2, true],
    solverOf(now, "morris").rating,
  ]);
  expect(days(withTry(now, c, { isSolved: true, day: 13 }))).toEqual([1, true]);
  now = withTry(now, c, { isSolved: false, day: 12 });
  expect(days(now)).toEqual([0, false]);
  now = withTry(withLateSolution(now, c), d, { isSolved: true, day: 13 });
  expect(days(now)).toEqual([1, true]);
  expect(solverOf(now, "morris")).toMatchObject({ row: 1, best: 2 });
});

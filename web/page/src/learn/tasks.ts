import type { Position } from "millbrain";
import { playing } from "../engine/client.js";
import { rules } from "../engine/rules.js";
import type { Task, Verdict } from "./exercise.svelte.js";
import { answers, type Goal, isMet, takes } from "./goals.js";
import type { Lesson } from "./lessons.js";
import type { Puzzle } from "./puzzles.js";
import { type Key, sayable } from "./keys.js";

/** The parts of a goal, for the message that a move does not meet it. */
const PARTS = ["to", "places", "takes", "wins", "promotes", "safe", "survives", "forces"] as const;

/** Returns the first part of a goal that the last move does not meet, with the reply that shows it. */
function unmet(goal: Goal, lesson: Lesson, position: Position): Verdict {
  const part = PARTS.find(
    (name) => goal[name] !== undefined && !isMet({ [name]: goal[name] }, lesson.rules, position),
  );
  const wanted = part === "safe" ? "takes" : part === "survives" ? "wins" : undefined;
  const [reply] = wanted ? answers(lesson.rules, position, wanted) : [];
  return { is: "wrong", why: sayable(`not.${part}`) ?? "not.forces", reply };
}

/** Returns the reply of the other side: the lesson's first legal preference, otherwise a quiet move. */
function reply({ rules: ruleset, replies }: Lesson, position: Position): string | undefined {
  const state = rules().state(ruleset, position);
  if (state.ending) return undefined;
  const liked = replies.find((move) => state.moves.some(({ text }) => text === move));
  return liked ?? (state.moves.find((move) => !takes(move, state)) ?? state.moves[0])?.text;
}

/** Returns a lesson as a task. */
export function lessonTask(lesson: Lesson): Task {
  const { fen, steps } = lesson;
  const known = new Map<string, boolean>();
  /**
   * Whether the last of these moves completes a step. The result is cached: it is requested repeatedly, and may examine
   * every reply.
   */
  const isDone = (step: number, moves: readonly string[]): boolean => {
    const key = `${step} ${moves.join(" ")}`;
    const met = known.get(key) ?? isMet(steps[step]?.goal ?? {}, lesson.rules, { fen, moves });
    known.set(key, met);
    return met;
  };
  /** Returns the number of completed steps after these moves, and the moves spent on the next one. */
  const progressOf = (moves: readonly string[]): { step: number; spent: number } => {
    let [step, spent] = [0, 0];
    // The learner's moves are every other one, starting with the first.
    for (let end = 1; end <= moves.length && step < steps.length; end += 2) {
      if (isDone(step, moves.slice(0, end))) [step, spent] = [step + 1, 0];
      else spent += 1;
    }
    return { step, spent };
  };
  /** Whether a step can still be completed with `left` moves, after moves of which the last is the learner's. */
  const isNear = (moves: readonly string[], step: number, left: number): boolean => {
    const answer = reply(lesson, { fen, moves });
    if (left === 0 || answer === undefined) return false;
    const before = [...moves, answer];
    return rules()
      .state(lesson.rules, { fen, moves: before })
      .moves.some(({ text }) => {
        const after = [...before, text];
        return isDone(step, after) || isNear(after, step, left - 1);
      });
  };
  return {
    rules: lesson.rules,
    fen,
    solution: lesson.solution,
    marks: (moves) => steps[progressOf(moves).step]?.goal.to ?? [],
    judge(moves) {
      const position = { fen, moves };
      const { step, spent } = progressOf(moves);
      if (step === steps.length) return { is: "done" };
      const due = steps[step];
      if (due && spent >= (due.moves ?? 1)) return unmet(due.goal, lesson, position);
      // A move that no longer leads there in time is wrong.
      if (due && spent > 0 && !isNear(moves, step, (due.moves ?? 1) - spent))
        return { is: "wrong", why: "not.late" };
      return { is: "right", reply: reply(lesson, position) };
    },
  };
}

/** Nodes for the reply to a wrong move: strong, and available within a second. */
const REFUTE_NODES = 100_000;

/** Returns a puzzle as a task. */
export function puzzleTask(puzzle: Puzzle): Task {
  const { variant, fen, goal, solution, rest, wrong } = puzzle;
  const ruleset = { variant };
  /** Whether the last of these moves ends the game: any move that does is as good as the last one of the solution. */
  const isEnd = (moves: readonly string[]) => rules().state(ruleset, { fen, moves }).ending !== null;
  return {
    rules: ruleset,
    fen,
    solution: solution.filter((_, i) => i % 2 === 0),
    line: [...solution, ...rest],
    marks: () => [],
    judge(moves) {
      const at = moves.length - 1;
      const move = moves[at] ?? "";
      const isLast = moves.length >= solution.length;
      const wins = goal === "win" && isLast && isEnd(solution);
      if (move === solution[at] || (wins && isEnd(moves)))
        return isLast ? { is: "done" } : { is: "right", reply: solution[moves.length] };
      const why: Key = wins ? "wrong.end" : `wrong.${goal}`;
      return { is: "wrong", why, reply: at === 0 ? wrong[move] : undefined };
    },
    refute: async (position, signal) => {
      const options = { MultiPV: 1, UCI_AnalyseMode: true };
      return (
        (await playing.search(ruleset, position, { nodes: REFUTE_NODES }, { options, signal }))?.move ??
        undefined
      );
    },
  };
}

import type { Variant } from "millbrain";
import { variantInfo } from "../game/variants.js";
import { session } from "../store/session.svelte.js";
import { Exercise } from "./exercise.svelte.js";
import { allLessons, type Lesson, LESSONS } from "./lessons.js";
import { solverOf, withLateSolution, withLesson, withTry } from "./progress.js";
import { progress } from "./progress.svelte.js";
import { dayOf, hasPuzzles, loadPuzzles, type Puzzle, puzzleId, puzzleOfDay } from "./puzzles.js";
import { choosePuzzle } from "./rating.js";
import { lessonTask, puzzleTask } from "./tasks.js";

/** The contents of the board. */
type Open =
  | { readonly kind: "lesson"; readonly id: string; readonly lesson: Lesson; readonly exercise: Exercise }
  | {
      readonly kind: "puzzle";
      /** The item in the address, such as `smess.day20612`. */
      readonly id: string;
      readonly puzzle: Puzzle;
      readonly day: number | undefined;
      /** The player's rating before. */
      readonly rating: number;
      readonly exercise: Exercise;
    };

/** Lessons and puzzles: the selection, and the open one. */
class Learn {
  variant = $state<Variant>(session.rules.variant);
  open = $state.raw<Open | undefined>();
  /** The last puzzle of a run, so that it is not repeated at once. */
  #last: string | undefined;

  readonly family: string = $derived(variantInfo(this.variant)?.family ?? "");
  readonly lessons: readonly Lesson[] = $derived(LESSONS[this.family] ?? []);
  readonly hasPuzzles: boolean = $derived(hasPuzzles(this.variant));

  isDone(lesson: Lesson): boolean {
    return progress.now.lessons.includes(this.#idOf(lesson));
  }

  #idOf(lesson: Lesson): string {
    return `${variantInfo(lesson.rules.variant)?.family}.${lesson.id}`;
  }

  close(): void {
    this.open?.exercise.leave();
    this.open = undefined;
  }

  /** Opens the item of an address; none closes the open one. Unknown ones are ignored. */
  async show(item: string | undefined): Promise<void> {
    if (item === this.open?.id) return;
    if (item === undefined) return this.close();
    const lesson = allLessons().find((lesson) => this.#idOf(lesson) === item);
    if (lesson) return this.openLesson(lesson);
    const [variant = "", id] = item.split(".");
    const info = variantInfo(variant);
    if (!info || !hasPuzzles(info.name)) return;
    this.variant = info.name;
    const [, day] = /^day(\d+)$/.exec(id ?? "") ?? [];
    if (day !== undefined) return this.openOfDay(Number(day));
    this.#openPuzzle((await loadPuzzles(info.name)).find((puzzle) => puzzleId(puzzle) === id));
  }

  openLesson(lesson: Lesson): void {
    this.open?.exercise.leave();
    if (!this.lessons.includes(lesson)) this.variant = lesson.rules.variant;
    const id = this.#idOf(lesson);
    const onDone = () => progress.add((before) => withLesson(before, id));
    this.open = { kind: "lesson", id, lesson, exercise: new Exercise(lessonTask(lesson), { onDone }) };
  }

  /** Opens the first lesson of all. */
  openFirst(): void {
    const [first] = allLessons();
    if (first) this.openLesson(first);
  }

  /** The lesson after the open one, at the end of a game that of the next game. */
  get nextLesson(): Lesson | undefined {
    const { open } = this;
    const all = allLessons();
    return open?.kind === "lesson" ? all[all.indexOf(open.lesson) + 1] : undefined;
  }

  #openPuzzle(puzzle: Puzzle | undefined, day?: number): void {
    if (puzzle === undefined) return;
    this.open?.exercise.leave();
    // A puzzle of an earlier day is no part of the run of days.
    const today = day === dayOf(new Date()) ? day : undefined;
    const onFirst = (isSolved: boolean) =>
      progress.add((before) => withTry(before, puzzle, { isSolved, day: today }));
    const onDone = () => {
      // After seeing the solution the user may try the puzzle again another day.
      if (!exercise.peeked) progress.add((before) => withLateSolution(before, puzzle));
    };
    const exercise = new Exercise(puzzleTask(puzzle), { onFirst, onDone });
    const { rating } = solverOf(progress.now, puzzle.variant);
    const id = `${puzzle.variant}.${day === undefined ? puzzleId(puzzle) : `day${day}`}`;
    this.open = { kind: "puzzle", id, puzzle, day, rating, exercise };
  }

  /** Opens the puzzle of a day, the same for everyone. */
  async openOfDay(day: number): Promise<void> {
    this.#openPuzzle(puzzleOfDay(await loadPuzzles(this.variant), day), day);
  }

  /** Opens the most suitable puzzle of a variant. */
  async openNext(variant = this.variant): Promise<void> {
    this.variant = variant;
    const puzzles = await loadPuzzles(variant);
    const { rating, tried } = solverOf(progress.now, variant);
    const puzzle = choosePuzzle(puzzles, { rating, tried, last: this.#last }, Math.random());
    this.#last = puzzle && puzzleId(puzzle);
    this.#openPuzzle(puzzle);
  }
}

export const learn = new Learn();

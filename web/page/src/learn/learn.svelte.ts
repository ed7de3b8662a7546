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
  /** Counts what is opened and closed: puzzles that arrive after something else are not opened. */
  #changes = 0;

  readonly family: string = $derived(variantInfo(this.variant)?.family ?? "");
  readonly lessons: readonly Lesson[] = $derived(LESSONS[this.family] ?? []);
  readonly hasPuzzles: boolean = $derived(hasPuzzles(this.variant));

  isDone(lesson: Lesson): boolean {
    return progress.now.lessons.includes(this.#idOf(lesson));
  }

  #idOf(lesson: Lesson): string {
    return `${variantInfo(lesson.rules.variant)?.family}.${lesson.id}`;
  }

  #set(open: Open | undefined): void {
    this.#changes += 1;
    this.open?.exercise.leave();
    this.open = open;
  }

  /** Closes what is open and opens the item of an address, if there is one. */
  async show(item: string | undefined): Promise<void> {
    if (item !== undefined && item === this.open?.id) return;
    // What stays open until a puzzle is loaded would take the address.
    this.#set(undefined);
    if (item === undefined) return;
    const lesson = allLessons().find((lesson) => this.#idOf(lesson) === item);
    if (lesson) return this.openLesson(lesson);
    const [variant = "", id] = item.split(".");
    const info = variantInfo(variant);
    if (!info || !hasPuzzles(info.name)) return;
    this.variant = info.name;
    const [, day] = /^day(\d+)$/.exec(id ?? "") ?? [];
    if (day !== undefined) return this.openOfDay(Number(day));
    await this.#choose((puzzles) => puzzles.find((puzzle) => puzzleId(puzzle) === id));
  }

  openLesson(lesson: Lesson): void {
    if (!this.lessons.includes(lesson)) this.variant = lesson.rules.variant;
    const id = this.#idOf(lesson);
    const onDone = () => progress.add((before) => withLesson(before, id));
    this.#set({ kind: "lesson", id, lesson, exercise: new Exercise(lessonTask(lesson), { onDone }) });
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

  /** Opens one of the puzzles of the variant as soon as they are loaded. */
  async #choose(choice: (puzzles: Puzzle[]) => Puzzle | undefined, day?: number): Promise<void> {
    const begun = (this.#changes += 1);
    const puzzles = await loadPuzzles(this.variant);
    const puzzle = this.#changes === begun ? choice(puzzles) : undefined;
    if (puzzle) this.#openPuzzle(puzzle, day);
  }

  #openPuzzle(puzzle: Puzzle, day: number | undefined): void {
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
    this.#set({ kind: "puzzle", id, puzzle, day, rating, exercise });
  }

  /** Opens the puzzle of a day, the same for everyone. */
  openOfDay(day: number): Promise<void> {
    return this.#choose((puzzles) => puzzleOfDay(puzzles, day), day);
  }

  /** Opens the most suitable puzzle of a variant. */
  openNext(variant = this.variant): Promise<void> {
    this.variant = variant;
    return this.#choose((puzzles) => {
      const { rating, tried } = solverOf(progress.now, variant);
      const puzzle = choosePuzzle(puzzles, { rating, tried, last: this.#last }, Math.random());
      this.#last = puzzle && puzzleId(puzzle);
      return puzzle;
    });
  }
}

export const learn = new Learn();

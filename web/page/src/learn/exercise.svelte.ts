import type { Layout, MoveParts, Position, Ruleset, Side, State } from "millbrain";
import { click, isStill, type Pick } from "@millbrain/board/model";
import { rules as engineRules } from "../engine/rules.js";
import type { Key } from "./keys.js";

/** The verdict on the learner's last move. `reply` is the other side's move, actual or hypothetical. */
export type Verdict =
  | { readonly is: "wrong"; readonly why: Key; readonly reply?: string | undefined }
  /** Right, but more is to come; without a reply it is the learner's move again. */
  | { readonly is: "right"; readonly reply?: string | undefined }
  | { readonly is: "done" };

/** A task on its own board. */
export interface Task {
  readonly rules: Ruleset;
  /** Defaults to the start of the game. */
  readonly fen?: string | undefined;
  /** The learner's moves of the solution. */
  readonly solution: readonly string[];
  /** The moves to play through afterwards; defaults to the ones played. */
  readonly line?: readonly string[];
  /** Judges the last of these moves, which is the learner's. */
  judge(moves: readonly string[]): Verdict;
  /** Returns the target points to mark. */
  marks(moves: readonly string[]): readonly string[];
  /** Returns the best reply to a wrong move, if `judge` gives none. */
  refute?(position: Position, signal: AbortSignal): Promise<string | undefined>;
}

/** Delay of the other side's move, and display time of each move of a solution, in milliseconds. */
const REPLY_AFTER = 450;
const SHOW_FOR = 900;

/** A task in progress: its board, and the result of the moves. */
export class Exercise {
  readonly task: Task;
  moves = $state.raw<readonly string[]>([]);
  pick = $state.raw<Pick>({});
  /** The learner is to move, the other side or the solution plays, a move was wrong, or the exercise is over. */
  stage = $state<"asked" | "playing" | "wrong" | "done" | "shown">("asked");
  verdict = $state.raw<Verdict | undefined>();
  /** The reply to a wrong move. */
  refutation = $state.raw<MoveParts | undefined>();
  /** Wrong moves so far, and whether the solution was shown. */
  misses = $state(0);
  peeked = $state(false);

  readonly state: State = $derived.by(() => this.#stateAfter(this.moves));
  readonly layout: Layout = $derived.by(() => engineRules().layout(this.task.rules));
  readonly side: Side;
  readonly legal: readonly MoveParts[] = $derived.by(() => (this.stage === "asked" ? this.state.moves : []));
  readonly last: MoveParts | undefined = $derived.by(() => this.#parts(this.moves.at(-1)));
  readonly marks: readonly string[] = $derived.by(() =>
    this.stage === "asked" ? this.task.marks(this.moves) : [],
  );

  /** Called once the result of the first try is known, and when the task is done. */
  readonly #onFirst: (isRight: boolean) => void;
  readonly #onDone: () => void;
  #isDecided = false;
  #running = new AbortController();

  constructor(
    task: Task,
    { onFirst, onDone }: { onFirst?: (isRight: boolean) => void; onDone?: () => void } = {},
  ) {
    this.task = task;
    this.side = this.#stateAfter([]).side;
    this.#onFirst = onFirst ?? (() => {});
    this.#onDone = onDone ?? (() => {});
  }

  #stateAfter(moves: readonly string[]): State {
    return engineRules().state(this.task.rules, { fen: this.task.fen, moves });
  }

  #parts(move: string | undefined): MoveParts | undefined {
    return move === undefined ? undefined : (engineRules().parts(this.task.rules, move) ?? undefined);
  }

  #decide(isRight: boolean): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#onFirst(isRight);
  }

  /** Handles a click on a point of the board. */
  click(point: string): void {
    if (this.stage !== "asked") return;
    const clicked = click(this.legal, this.pick, point);
    if ("move" in clicked) void this.play(clicked.move);
    else this.pick = clicked.pick;
  }

  cancel(): void {
    this.pick = {};
  }

  /** Stops all running work. */
  leave(): void {
    this.#running.abort();
  }

  #begin(): AbortSignal {
    this.#running.abort();
    this.#running = new AbortController();
    this.pick = {};
    return this.#running.signal;
  }

  /** Plays and judges a legal move of the learner. */
  async play(move: string): Promise<void> {
    if (!this.legal.some(({ text }) => text === move)) return;
    const signal = this.#begin();
    this.moves = [...this.moves, move];
    const verdict = this.task.judge(this.moves);
    this.verdict = verdict;
    if (verdict.is === "wrong") return this.#miss(verdict.reply, signal);
    if (verdict.is === "done") {
      this.stage = "done";
      this.#decide(true);
      this.#onDone();
      return;
    }
    if (verdict.reply === undefined) return;
    this.stage = "playing";
    await pause(REPLY_AFTER, signal);
    if (signal.aborted) return;
    this.moves = [...this.moves, verdict.reply];
    this.stage = "asked";
  }

  async #miss(reply: string | undefined, signal: AbortSignal): Promise<void> {
    this.stage = "wrong";
    this.misses += 1;
    this.#decide(false);
    this.refutation = this.#parts(reply);
    if (reply !== undefined || this.state.ending) return;
    const position = { fen: this.task.fen, moves: this.moves };
    // A missing reply is not shown; the move is wrong in any case.
    const found = await this.task.refute?.(position, signal).catch(() => undefined);
    if (!signal.aborted) this.refutation = this.#parts(found);
  }

  /** Takes a wrong move back; after the end or a solution, starts over. */
  retry(): void {
    this.#begin();
    this.moves = this.stage === "wrong" ? this.moves.slice(0, -1) : [];
    this.refutation = undefined;
    this.verdict = undefined;
    this.stage = "asked";
  }

  /** Shows the position after the first moves of a line, with a reply to the last one; only after the end. */
  look(moves: readonly string[], reply?: string): void {
    if (this.stage !== "done" && this.stage !== "shown") return;
    this.moves = moves;
    this.refutation = this.#parts(reply);
  }

  /** Plays the solution from the beginning. */
  async show(): Promise<void> {
    const signal = this.#begin();
    this.peeked = true;
    this.#decide(false);
    this.refutation = undefined;
    this.verdict = undefined;
    this.stage = "playing";
    this.moves = [];
    for (const move of this.task.solution) {
      await pause(SHOW_FOR, signal);
      if (signal.aborted) return;
      this.moves = [...this.moves, move];
      const verdict = this.task.judge(this.moves);
      if (verdict.is !== "right" || verdict.reply === undefined) continue;
      await pause(SHOW_FOR, signal);
      if (signal.aborted) return;
      this.moves = [...this.moves, verdict.reply];
    }
    this.stage = "shown";
  }
}

/** Waits for some time, unless the user prefers reduced motion. */
async function pause(time: number, signal: AbortSignal): Promise<void> {
  if (isStill()) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
  });
}

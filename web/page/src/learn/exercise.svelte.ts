import type { Layout, MoveParts, Position, Ruleset, Side, State } from "millbrain";
import { click, isStill, type Pick } from "@millbrain/board/model";
import { rules as engineRules } from "../engine/rules.js";
import type { Key } from "./texts/keys.js";

/** What is said of the learner's last move. `reply` is the move that the other side makes, or would make. */
export type Verdict =
  | { readonly is: "wrong"; readonly why: Key; readonly reply?: string | undefined }
  /** Right, but more is to come; without a reply it is the learner's move again. */
  | { readonly is: "right"; readonly reply?: string | undefined }
  | { readonly is: "done" };

/** Something to do on a board of its own. */
export interface Task {
  readonly rules: Ruleset;
  /** Without it the start of the game. */
  readonly fen?: string | undefined;
  /** The moves that do it, those of the learner alone. */
  readonly solution: readonly string[];
  /** Judges the last of these moves, which is the learner's. */
  judge(moves: readonly string[]): Verdict;
  /** The points to go to, so that they can be marked. */
  marks(moves: readonly string[]): readonly string[];
  /** The best answer to a wrong move, if `judge` has named none. */
  refute?(position: Position, signal: AbortSignal): Promise<string | undefined>;
}

/** So long the other side waits with its move, in milliseconds, and so long each move of a solution is seen. */
const REPLY_AFTER = 450;
const SHOW_FOR = 900;

/** A task while it is being worked on: the board, and what has come of the moves on it. */
export class Exercise {
  readonly task: Task;
  moves = $state.raw<readonly string[]>([]);
  pick = $state.raw<Pick>({});
  /** Whether a move is asked for, the other side or the solution plays, a move was wrong, or it is over. */
  stage = $state<"asked" | "playing" | "wrong" | "done" | "shown">("asked");
  verdict = $state.raw<Verdict | undefined>();
  /** The answer to a wrong move. */
  refutation = $state.raw<MoveParts | undefined>();
  /** Wrong moves so far, and whether the solution was asked for. */
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

  /** Called when it is decided whether the first try was right, and when the task is done. */
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

  /** A click on a point of the board. */
  click(point: string): void {
    if (this.stage !== "asked") return;
    const clicked = click(this.legal, this.pick, point);
    if ("move" in clicked) void this.play(clicked.move);
    else this.pick = clicked.pick;
  }

  cancel(): void {
    this.pick = {};
  }

  /** Stops whatever is still going on. */
  leave(): void {
    this.#running.abort();
  }

  #begin(): AbortSignal {
    this.#running.abort();
    this.#running = new AbortController();
    this.pick = {};
    return this.#running.signal;
  }

  /** Plays a legal move of the learner, and lets it be judged. */
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
    // What cannot be found is not shown; that the move was wrong is known without it.
    const found = await this.task.refute?.(position, signal).catch(() => undefined);
    if (!signal.aborted) this.refutation = this.#parts(found);
  }

  /** Takes a wrong move back; after the end or a solution begins anew. */
  retry(): void {
    this.#begin();
    this.moves = this.stage === "wrong" ? this.moves.slice(0, -1) : [];
    this.refutation = undefined;
    this.verdict = undefined;
    this.stage = "asked";
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

/** Some time, unless the user wants no movement. */
async function pause(time: number, signal: AbortSignal): Promise<void> {
  if (isStill()) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
  });
}

import type { GameEnd, Side } from "millbrain";
import type { Clock } from "../game/clock.js";
import { ofRules, other, outcomeOf } from "../game/text.js";
import { leaf, line, moves, play, ROOT } from "../game/tree.js";
import { readOptions, ruleset } from "../game/variants.js";
import { GameOnBoard } from "../store/board.svelte.js";
import { settings } from "../store/settings.svelte.js";
import { say } from "./say.svelte.js";
import type { Act, GameState, Plan, Terms } from "./wire.js";
import { clockOf, nameText, untilText } from "./words.js";

export const rulesOf = ({ variant, rules }: Terms) => ruleset(variant, readOptions(variant, rules));

/** A game against a person on the board. The server has the moves; the user's own is shown while it is sent. */
export class PeopleGame extends GameOnBoard {
  info: GameState = $state.raw() as GameState;
  /** The user's seat. */
  side = $state<Side | null>(null);
  /** The answers that the server plays for the user. */
  plan = $state.raw<Plan>([]);
  /** Whether the user prepares answers, by moves of both sides after the last one. */
  isPlanning = $state(false);
  /** Time of receipt of `info`, by `performance.now()`. */
  #since = $state(0);
  /** The move that the server has not confirmed. */
  #sent = $state.raw<{ ply: number; move: string } | undefined>();
  readonly #send: (act: Act) => void;

  constructor(info: GameState, side: Side | null, send: (act: Act) => void) {
    super();
    this.#send = send;
    this.key = info.game;
    this.rules = rulesOf(info);
    this.see(info, side);
    this.at = leaf(this.tree, ROOT);
  }

  readonly isPlaying = $derived(this.info.stage === "playing");
  readonly isAtEnd = $derived(this.next(this.at) === undefined);
  readonly #turn: Side = $derived(this.#sent ? other(this.info.turn) : this.info.turn);
  /** Whether the user is to move in the last position. */
  readonly isMine = $derived(this.isPlaying && this.#turn === this.side);
  readonly canMove = $derived(this.isPlanning ? this.at >= this.info.plies : this.isMine && this.isAtEnd);
  /** Whether answers can be prepared: while the opponent is to move. */
  readonly canPlan = $derived(this.isPlaying && this.side !== null && !this.isMine && !this.#sent);
  /** The prepared lines on the board, up to the last answer of each. */
  readonly lines: Plan = $derived.by(() => {
    const leaves = this.tree.nodes.filter(
      ({ id, children }) => id > this.info.plies && children.length === 0,
    );
    const all = leaves.map(({ id }) => moves(this.tree, id).slice(this.info.plies));
    const answered = all.map((line) => line.slice(0, line.length - (line.length % 2)));
    return [...new Map(answered.map((line) => [line.join(), line])).values()].filter(
      (line) => line.length > 0,
    );
  });
  readonly isFlipped = $derived((this.side === "black") !== settings.flipped);
  readonly clock: Clock | undefined = $derived(clockOf(this.info, this.#since));

  /** The end of the game by the rules or otherwise, whatever position is shown. */
  readonly lastEnd: GameEnd | undefined = $derived.by(() => {
    const { ending } = this.stateOf(leaf(this.tree, ROOT));
    return this.closed ?? (ending ? ofRules(ending) : undefined);
  });

  get own(): Side | undefined {
    return this.side ?? undefined;
  }

  nameOf(side: Side): string {
    return this.info.names[side] === null ? say("seatFree") : nameText(this.info.names[side]);
  }

  override noteOf(side: Side): string {
    const { there, clock, until } = this.info;
    if (!this.isPlaying) return "";
    const isDue = clock === null && this.#turn === side;
    return [there[side] ? "" : say("away"), isDue ? untilText(until) : ""]
      .filter((text) => text !== "")
      .join(" · ");
  }

  override get turnText(): string {
    if (!this.isPlaying) return say(this.info.stage === "open" ? "waits" : "aborted");
    if (this.isPlanning) return super.turnText;
    return this.isMine ? say("yourTurn") : say("theirTurn", { name: this.nameOf(this.#turn) });
  }

  override play(move: string): void {
    if (!this.canMove || !this.legal.some(({ text }) => text === move)) return;
    if (this.isPlanning) {
      [this.tree, this.at] = play(this.tree, this.at, move);
      this.cancel();
      return;
    }
    this.#sent = { ply: this.info.plies, move };
    this.#show();
    this.#send({ do: "move", game: this.info.game, ...this.#sent });
  }

  /** Handles a click; in an earlier position it returns to the last one. */
  override click(point: string): void {
    if (this.isAtEnd || this.isPlanning) super.click(point);
    else this.toEnd();
  }

  /** Begins to prepare answers, with those from before. */
  planAhead(): void {
    this.toEnd();
    this.isPlanning = true;
    const end = this.at;
    for (const line of this.plan) {
      let at = end;
      for (const move of line) [this.tree, at] = play(this.tree, at, move);
    }
  }

  /** Ends the preparation, and sends the lines to the server unless they are discarded. */
  endPlan(lines?: Plan): void {
    if (lines) this.#send({ do: "plan", game: this.info.game, ply: this.info.plies, lines });
    this.isPlanning = false;
    this.#reset(this.info.moves);
  }

  /** Shows the server's state of the game, and the user's plan. */
  see(info: GameState, side: Side | null, plan: Plan = []): void {
    if (this.isPlanning && (info.stage !== "playing" || info.moves.join() !== this.info.moves.join()))
      this.endPlan();
    this.info = info;
    this.side = side;
    this.plan = plan;
    this.#since = performance.now();
    if (this.#sent && (info.stage !== "playing" || info.moves.length !== this.#sent.ply))
      this.#sent = undefined;
    this.#show();
  }

  /** Takes back the move that the server has refused. */
  refuse(): void {
    this.#sent = undefined;
    this.#show();
  }

  /** Puts these moves on the board. An earlier position remains shown unless the user is at the end. */
  #reset(played: readonly string[], isAtEnd = true): void {
    const [tree, end] = line(played);
    this.tree = tree;
    this.forward.clear();
    this.at = isAtEnd || this.at > end ? end : this.at;
    this.cancel();
  }

  #show(): void {
    const { info } = this;
    const played = this.#sent ? [...info.moves, this.#sent.move] : info.moves;
    const before = moves(this.tree, leaf(this.tree, ROOT));
    if (!this.isPlanning && played.join() !== before.join()) {
      this.#reset(played, this.at === before.length);
      const last = played.at(-1);
      const mover = other(this.#turn);
      this.spoken = last !== undefined && mover !== this.side ? { move: last, side: mover } : undefined;
    }
    const { result, reason = "", termination = "normal" } = info;
    const outcome = outcomeOf(result);
    // An end by the rules is determined by them.
    this.closed =
      outcome && termination !== "normal"
        ? { node: leaf(this.tree, ROOT), outcome, reason, termination }
        : undefined;
  }
}

import type { GameEnd, Side } from "millbrain";
import type { Clock } from "../game/clock.js";
import { ofRules, other, outcomeOf } from "../game/text.js";
import { leaf, line, moves, ROOT } from "../game/tree.js";
import { readOptions, ruleset } from "../game/variants.js";
import { GameOnBoard } from "../store/board.svelte.js";
import { settings } from "../store/settings.svelte.js";
import { say } from "./say.svelte.js";
import type { Act, GameState, Terms } from "./wire.js";
import { clockOf, nameText, untilText } from "./words.js";

export const rulesOf = ({ variant, rules }: Terms) => ruleset(variant, readOptions(variant, rules));

/** A game against a person on the board. The server has the moves; the user's own is shown while it is sent. */
export class PeopleGame extends GameOnBoard {
  info: GameState = $state.raw() as GameState;
  /** The user's seat. */
  side = $state<Side | null>(null);
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
  readonly canMove = $derived(this.isMine && this.isAtEnd);
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
    return this.isMine ? say("yourTurn") : say("theirTurn", { name: this.nameOf(this.#turn) });
  }

  override play(move: string): void {
    if (!this.canMove || !this.legal.some(({ text }) => text === move)) return;
    this.#sent = { ply: this.info.plies, move };
    this.#show();
    this.#send({ do: "move", game: this.info.game, ...this.#sent });
  }

  /** Handles a click; in an earlier position it returns to the last one. */
  override click(point: string): void {
    if (this.isAtEnd) super.click(point);
    else this.toEnd();
  }

  /** Shows the server's state of the game. */
  see(info: GameState, side: Side | null): void {
    this.info = info;
    this.side = side;
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

  #show(): void {
    const { info } = this;
    const played = this.#sent ? [...info.moves, this.#sent.move] : info.moves;
    const before = moves(this.tree, leaf(this.tree, ROOT));
    if (played.join() !== before.join()) {
      const wasAtEnd = this.at === before.length;
      const [tree, end] = line(played);
      this.tree = tree;
      this.forward.clear();
      // An earlier position remains shown.
      this.at = wasAtEnd || this.at > end ? end : this.at;
      this.cancel();
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

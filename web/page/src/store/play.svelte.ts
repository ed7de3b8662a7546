import type { Side } from "millbrain";
import { isStill } from "@millbrain/board/model";
import { playing } from "../engine/client.js";
import { rules as engineRules } from "../engine/rules.js";
import { type Clock, flagged, press, run, timeLeft } from "../game/clock.js";
import { type Names, other, resignation, SIDES } from "../game/text.js";
import { nodeOf, play, ROOT, type Tree } from "../game/tree.js";
import { t } from "../i18n/index.svelte.js";
import { faultText } from "../texts/faults.js";
import { playerText } from "../texts/words.js";
import { alone, FULL, NEW_LEVEL, type Player, searching } from "../game/players.js";
import { GameOnBoard } from "./board.svelte.js";
import { settings } from "./settings.svelte.js";

/** Minimum delay of a reply, so that the user sees their own move first. */
const LEAST_REPLY = 350;
/** Nodes for a hint and for the best move: strong, and available within a second. */
const HINT_NODES = 400_000;

/** The game on the board during play: clicks, computers, the clock, and navigation through its moves. */
export abstract class Play extends GameOnBoard {
  players = $state<Record<Side, Player>>({
    white: { kind: "human", level: 8, time: 1000 },
    black: { kind: "computer", level: NEW_LEVEL, time: 1000 },
  });

  /** Names of an imported game; `undefined` for a game that is played here. */
  names = $state.raw<Names | undefined>();

  /**
   * The clock of a timed game. It starts with the first move. It stops while the game is paused or over, while an
   * earlier position is shown or moves are taken back, and while the page is closed.
   */
  clock = $state.raw<Clock | undefined>();
  /** Whether computers move automatically: not while an earlier position is shown. */
  auto = $state(true);
  paused = $state(false);
  /** Whether a search for a hint or a best move is running. */
  seeking = $state(false);
  /** Description of an error. */
  fault = $state<string | undefined>();

  /** Whether a human can move a stone now. */
  readonly canMove = $derived(
    this.end === null && (this.players[this.state.side].kind === "human" || !this.auto || this.paused),
  );
  readonly humans = $derived(
    (["white", "black"] as const).filter((side) => this.players[side].kind === "human"),
  );

  /** The side of a single human player against a computer. */
  get own(): Side | undefined {
    return this.names ? undefined : alone(this.players);
  }

  /** Whether a computer plays that follows the strategy of a pack. */
  get usesPack(): boolean {
    return SIDES.some((side) => this.players[side].kind === "computer" && this.players[side].level === FULL);
  }

  nameOf(side: Side): string {
    return this.names?.[side] ?? playerText(this.players[side]);
  }

  readonly isFlipped = $derived(settings.flipped);

  override get turnText(): string {
    return this.thinking ? t("thinking", { side: t(this.state.side) }) : super.turnText;
  }

  #search = new AbortController();
  #turn = 0;
  #flag: ReturnType<typeof setTimeout> | undefined;

  /** Stores the game. */
  abstract keep(): void;
  /** Called when the game changes. */
  protected abstract touch(): void;
  /** Called after a change, to count the game if it has ended. */
  protected abstract count(): void;

  /** Called after every change: stores the game, and lets a computer move if it is its turn. */
  protected changed(): void {
    this.pick = {};
    this.refused = undefined;
    this.hint = undefined;
    this.fault = undefined;
    this.notice = "";
    this.#search.abort();
    this.seeking = false;
    this.thinking = false;
    this.#turn = performance.now();
    this.#tick();
    this.keep();
    const player = this.players[this.state.side];
    if (this.end || !this.auto || this.paused || player.kind === "human") return;
    this.thinking = true;
    this.#search = new AbortController();
    void this.#think(player, this.#search.signal);
  }

  async #think(player: Player, signal: AbortSignal): Promise<void> {
    const started = performance.now();
    const { limits, options } = searching(player, this.clock, started);
    // The user sees their own move first, but not at the cost of the last seconds.
    const least = this.clock
      ? Math.min(LEAST_REPLY, timeLeft(this.clock, this.state.side, started) / 20)
      : LEAST_REPLY;
    const at = this.at;
    try {
      const found = await playing.search(this.rules, this.position, limits, { options, signal });
      const time = performance.now() - started;
      if (time < least && !isStill()) {
        await new Promise((resolve) => setTimeout(resolve, least - time));
      }
      if (signal.aborted || !found?.move) return;
      const line = found.lines[0];
      this.spoken = { move: found.move, side: this.state.side };
      if (line && player.level === 20) this.judge(at, { ...line, best: found.move });
      const said = line ? { said: { score: line.score, depth: line.depth } } : {};
      this.#go(play(this.tree, this.at, found.move, { time: Math.round(time), ...said }));
    } catch (error) {
      if (signal.aborted) return;
      this.thinking = false;
      this.paused = true;
      this.fault = faultText(error);
    }
  }

  #go(played: readonly [Tree, number]): void {
    if (this.clock) this.clock = press(this.clock, this.state.side, performance.now());
    this.#grow(played);
    this.count();
  }

  /** Adds a move and goes to it. */
  #grow([tree, at]: readonly [Tree, number]): void {
    this.touch();
    this.forward.set(nodeOf(tree, at).parent, at);
    this.tree = tree;
    this.at = at;
    this.changed();
  }

  /** Starts the clock of the side to move, or stops it; schedules its flag. */
  #tick(): void {
    clearTimeout(this.#flag);
    if (this.clock === undefined) return;
    const now = performance.now();
    const { side } = this.state;
    const stands =
      this.end !== null || this.paused || this.at === ROOT || this.next(this.at) !== undefined || !this.auto;
    this.clock = run(this.clock, stands ? undefined : side, now);
    // A timer may fire early.
    if (!stands) this.#flag = setTimeout(() => this.#lookAtFlag(), timeLeft(this.clock, side, now) + 1);
  }

  #lookAtFlag(): void {
    const side = this.clock && flagged(this.clock, performance.now());
    if (side === undefined) return this.#tick();
    this.closed = {
      node: this.at,
      outcome: other(side),
      reason: `the time of ${side} is used up`,
      termination: "time forfeit",
    };
    this.touch();
    this.changed();
    this.count();
  }

  override play(move: string): void {
    if (!this.legal.some(({ text }) => text === move)) return;
    const isOwn = this.players[this.state.side].kind === "human";
    const time = Math.round(performance.now() - this.#turn);
    if (isOwn) this.auto = true;
    // A move resumes the game.
    if (isOwn && this.clock) this.paused = false;
    this.#go(play(this.tree, this.at, move, { time }));
  }

  /** Plays a move for either side to explore it: no computer replies, and no game is counted. */
  explore(move: string): void {
    if (!this.legal.some(({ text }) => text === move)) return;
    this.auto = false;
    this.#grow(play(this.tree, this.at, move));
  }

  override goto(id: number): void {
    if (this.tree.nodes[id] === undefined) return;
    super.goto(id);
    this.auto = this.humans.includes(this.state.side);
    this.changed();
  }

  /** Whether a step stops at this position: where a human is to move, if one plays at all. */
  #isStop(id: number): boolean {
    return this.humans.length !== 1 || this.stateOf(id).side === this.humans[0];
  }

  takeBack(): void {
    if (this.at === ROOT) return;
    // A resigned game continues where it was.
    if (this.closed?.node === this.at) {
      this.closed = undefined;
      this.touch();
      this.changed();
      return;
    }
    let id = this.node.parent;
    while (id !== ROOT && !this.#isStop(id)) id = nodeOf(this.tree, id).parent;
    if (this.humans.length === 0) this.paused = true;
    this.goto(id);
  }

  redo(): void {
    let id = this.next(this.at);
    if (id === undefined) return;
    for (let on = this.next(id); on !== undefined && !this.#isStop(id); on = this.next(id)) id = on;
    this.goto(id);
  }

  resign(): void {
    if (this.end) return;
    const side = this.humans.length === 1 ? (this.humans[0] as Side) : this.state.side;
    this.closed = { node: this.at, ...resignation(side) };
    this.touch();
    this.changed();
    this.count();
  }

  /** Lets computers continue from here. */
  proceed(): void {
    this.auto = true;
    this.paused = false;
    this.changed();
  }

  pause(): void {
    if (this.paused) this.proceed();
    else {
      this.paused = true;
      this.changed();
    }
  }

  setPlayers(players: Record<Side, Player>): void {
    this.players = players;
    this.auto = true;
    this.changed();
  }

  random(): void {
    if (!this.canMove) return;
    const move = engineRules().randomMove(this.rules, this.position);
    if (move !== null) this.play(move);
  }

  /** Searches for the best move at full strength, whatever the levels: shows it, or plays it. */
  async seek(then: "show" | "play"): Promise<void> {
    if (!this.canMove || this.seeking) return;
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    this.seeking = true;
    // The same hint again is announced again.
    this.hint = undefined;
    try {
      const options = { MultiPV: 1, UCI_AnalyseMode: true };
      const limits = { nodes: HINT_NODES };
      const found = await playing.search(this.rules, this.position, limits, { options, signal });
      if (signal.aborted || !found?.move) return;
      this.seeking = false;
      if (then === "play") this.play(found.move);
      else {
        this.pick = {};
        this.hint = found.move;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.seeking = false;
      this.fault = faultText(error);
    }
  }
}

import type { OptionValues, Ruleset, Side, Variant } from "millbrain";
import { playing } from "../engine/client.js";
import { rules as engineRules } from "../engine/rules.js";
import { type Clock, newClock, type TimeControl } from "../game/clock.js";
import { clueOf } from "../game/facts.js";
import { checkGame, type Closed, closing, type Played } from "../game/played.js";
import { alone, FULL, NEW_LEVEL, type Player } from "../game/players.js";
import { type Shared } from "../game/share.js";
import { type Facts, type Names, other, resignation, SIDES } from "../game/text.js";
import {
  emptyTree,
  line,
  nodeOf,
  path,
  play,
  promote,
  remove,
  ROOT,
  type Tree,
  type TreeNode,
  update,
} from "../game/tree.js";
import { firstVariant, ruleset } from "../game/variants.js";
import { sideName, t } from "../i18n/index.svelte.js";
import { faultText } from "../texts/faults.js";
import { playerText } from "../texts/words.js";
import { GameOnBoard } from "./board.svelte.js";
import { Computer } from "./computer.svelte.js";
import { newKey } from "./games/database.js";
import { library } from "./games/games.svelte.js";
import { readKept } from "./games/kept.js";
import { type Kept, type ListedGame } from "./games/stored.js";
import { Saver } from "./saver.svelte.js";
import { settings } from "./settings.svelte.js";
import { Timer } from "./timer.svelte.js";
import { toast } from "./view.svelte.js";

/** A game that can be put on the board. */
export interface Opened extends Played {
  readonly at: number;
  readonly closed?: Closed | undefined;
  readonly key?: string;
  readonly players?: Record<Side, Player> | undefined;
  /** The players, if it was played elsewhere. */
  readonly names?: Names | undefined;
  /** Its other facts, if it was played elsewhere. */
  readonly facts?: Facts | undefined;
  /** Time of the last move. */
  readonly saved?: number;
  readonly revision?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * The game on the board; the only place where it changes. Computers, the clock and storage are its parts; moves and
 * navigation are here.
 */
export class Session extends GameOnBoard {
  players = $state<Record<Side, Player>>({
    white: { kind: "human", level: 8, time: 1000 },
    black: { kind: "computer", level: NEW_LEVEL, time: 1000 },
  });

  /** Names of an imported game; `undefined` for a game that is played here. */
  names = $state.raw<Names | undefined>();
  /** Other facts of an imported game. */
  facts = $state.raw<Facts | undefined>();

  /** Whether computers move automatically: not while an earlier position is shown. */
  auto = $state(true);
  paused = $state(false);
  /** Description of an error. */
  fault = $state<string | undefined>();

  readonly #computer = new Computer();
  readonly #timer = new Timer(() => this.#lose());
  readonly #saver = new Saver(this);
  #turn = 0;

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
    return this.thinking ? t("thinking", { side: sideName(this.state.side) }) : super.turnText;
  }

  /**
   * The clock of a timed game. It starts with the first move. It stops while the game is paused or over, while an
   * earlier position is shown or moves are taken back, and while the page is closed.
   */
  get clock(): Clock | undefined {
    return this.#timer.clock;
  }

  /** The clock, stopped. */
  get stopped(): Clock | undefined {
    return this.#timer.stopped;
  }

  /** Whether a search for a hint or a best move is running. */
  get seeking(): boolean {
    return this.#computer.seeking;
  }

  /** Time of the last move. */
  get date(): number {
    return this.#saver.date;
  }

  /** Called after every change: stores the game, and lets a computer move if it is its turn. */
  #changed(): void {
    this.pick = {};
    this.refused = undefined;
    this.clue = undefined;
    this.hint = undefined;
    this.fault = undefined;
    this.notice = "";
    this.#computer.stop();
    this.thinking = false;
    this.#turn = performance.now();
    this.#tick();
    this.#saver.keep();
    const player = this.players[this.state.side];
    if (this.end || !this.auto || this.paused || player.kind === "human") return;
    void this.#reply(player);
  }

  /** Plays the move of a computer. */
  async #reply(player: Player): Promise<void> {
    const { at, rules, position, state, clock } = this;
    this.thinking = true;
    try {
      const reply = await this.#computer.reply(player, rules, position, state.side, clock);
      if (reply === undefined) return;
      const { move, time, line } = reply;
      this.spoken = { move, side: this.state.side };
      if (line && player.level === FULL) this.judge(at, { ...line, best: move });
      const said = line ? { said: { score: line.score, depth: line.depth } } : {};
      this.#go(play(this.tree, this.at, move, { time, ...said }));
    } catch (error) {
      this.thinking = false;
      this.paused = true;
      this.fault = faultText(error);
    }
  }

  #go(played: readonly [Tree, number]): void {
    this.#timer.press(this.state.side);
    this.#grow(played);
    this.#saver.count();
  }

  /** Adds a move and goes to it. */
  #grow([tree, at]: readonly [Tree, number]): void {
    this.#saver.touch();
    this.forward.set(nodeOf(tree, at).parent, at);
    this.tree = tree;
    this.at = at;
    this.#changed();
  }

  /** Starts the clock of the side to move, or stops it. */
  #tick(): void {
    const stands =
      this.end !== null || this.paused || this.at === ROOT || this.next(this.at) !== undefined || !this.auto;
    this.#timer.run(stands ? undefined : this.state.side);
  }

  /** Ends the game of the side whose time is used up. */
  #lose(): void {
    const side = this.#timer.flagged;
    if (side === undefined) return;
    this.closed = {
      node: this.at,
      outcome: other(side),
      reason: "",
      termination: "time forfeit",
    };
    this.#saver.touch();
    this.#changed();
    this.#saver.count();
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
    this.#changed();
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
      this.#saver.touch();
      this.#changed();
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
    this.#saver.touch();
    this.#changed();
    this.#saver.count();
  }

  /** Lets computers continue from here. */
  proceed(): void {
    this.auto = true;
    this.paused = false;
    this.#changed();
  }

  pause(): void {
    if (this.paused) this.proceed();
    else {
      this.paused = true;
      this.#changed();
    }
  }

  random(): void {
    if (!this.canMove) return;
    const move = engineRules().randomMove(this.rules, this.position);
    if (move !== null) this.play(move);
  }

  /** Searches for the best move at full strength: shows where to look and then the move itself, or plays it. */
  async seek(then: "show" | "play"): Promise<void> {
    if (!this.canMove || this.seeking) return;
    const { clue, hint } = this;
    if (then === "show" && clue !== undefined && hint === undefined) {
      this.pick = {};
      this.hint = clue.move;
      return;
    }
    // The same hint again is announced again.
    this.hint = undefined;
    try {
      const move = await this.#computer.best(this.rules, this.position);
      if (move === undefined) return;
      if (then === "play") this.play(move);
      else {
        this.pick = {};
        this.clue ??= clueOf(this.rules, this.position, this.legal, move);
        if (hint !== undefined) this.hint = move;
      }
    } catch (error) {
      this.fault = faultText(error);
    }
  }

  /** Stores marks of moves. */
  note(id: number, changes: Partial<TreeNode>): void {
    if (this.tree.nodes[id] !== undefined) this.tree = update(this.tree, id, changes);
  }

  keepMarks(): void {
    this.#saver.keepMarks();
  }

  keep(): void {
    this.#saver.keep();
  }

  /** Adds the game to those of this device: permanently, or as one of the last played. */
  list(how: { auto: boolean }): Promise<void> {
    return this.#saver.list(how);
  }

  start(
    rules: Ruleset,
    {
      fen,
      players,
      control,
    }: {
      fen?: string | undefined;
      players?: Record<Side, Player> | undefined;
      control?: TimeControl | undefined;
    } = {},
  ): void {
    // An invalid game: its fault is reported before anything changes.
    engineRules().state(rules, { fen });
    const clock = control && newClock(control);
    this.#replace({ rules, fen, tree: emptyTree(), at: ROOT, players, clock });
    this.auto = true;
    // A computer player is loaded while the user considers the first move, but not if a link opens another game at
    // once.
    queueMicrotask(() => {
      if (this.humans.length < 2) playing.engine(this.rules).catch(() => {});
    });
    void playing.newGame();
    this.#changed();
  }

  setPlayers(players: Record<Side, Player>): void {
    if (this.names !== undefined) {
      // The original remains as played; playing on makes another game.
      this.names = this.facts = undefined;
      this.key = newKey();
      this.#saver.touch();
    }
    this.players = players;
    this.auto = true;
    this.#changed();
  }

  startVariant(
    variant: Variant,
    options: OptionValues,
    players: Record<Side, Player>,
    control?: TimeControl,
  ): void {
    this.start(ruleset(variant, options), { players, control });
  }

  /** Starts the game again, with other players if they are given. */
  restart(players?: Record<Side, Player>): void {
    this.start(this.rules, { fen: this.fen, players, control: this.clock?.control });
  }

  /** Starts another game with the same players, with the colours exchanged. */
  rematch(): void {
    const { white, black } = this.players;
    this.restart({ white: { ...black }, black: { ...white } });
  }

  /**
   * Opens a game: it is checked completely before anything changes.
   * @throws when the engine rejects the rules, the position or a move
   */
  open(game: Opened, said?: string): void {
    this.#replace({ ...game, fen: checkGame(game) }, said);
    this.auto = this.humans.includes(this.state.side);
    this.#changed();
  }

  openShared({ rules, fen, moves, names, end }: Shared): void {
    const [tree, at] = line(moves);
    const closed = closing(end, at, engineRules().state(rules, { fen, moves }));
    this.open({ rules, fen, tree, at, names, closed });
  }

  /** Opens a game of this device with its players. */
  openListed(game: ListedGame, said?: string): void {
    const { players, white, black } = game;
    this.open({ ...game, names: players ? undefined : { white, black } }, said);
  }

  /** Puts another game on the board. A replaced game in progress can be restored. */
  #replace(game: Opened, said?: string): void {
    const before = this.#saver.snapshot();
    const isInProgress = (this.tree.nodes.length > 1 || this.fen !== undefined) && this.end === null;
    this.#put(game);
    this.#saver.date = game.saved ?? Date.now();
    this.#saver.isListed = true;
    if (isInProgress) {
      toast(said ?? t("replaced"), { label: t("undo"), run: () => this.#takeUp(before) });
    } else if (said !== undefined) toast(said);
  }

  #put(game: Opened): void {
    this.rules = game.rules;
    this.fen = game.fen;
    this.tree = game.tree;
    this.at = game.at;
    this.closed = game.closed;
    this.#timer.clock = game.clock;
    this.key = game.key ?? newKey();
    if (game.revision !== undefined) library.learn(this.key, [game.revision]);
    if (game.players) this.players = game.players;
    this.names = game.names;
    this.facts = game.facts;
    this.forward.clear();
    this.paused = false;
    this.spoken = undefined;
  }

  /** Resumes a stored game. */
  #takeUp(kept: Kept & { players?: Record<Side, Player> | undefined }): void {
    this.#put(kept);
    library.learn(kept.key, kept.known);
    this.#saver.date = kept.date;
    this.#saver.isListed = kept.listed;
    this.paused = kept.paused;
    this.auto = kept.auto;
    this.#changed();
  }

  promote(id: number): void {
    this.tree = promote(this.tree, id);
    this.#saver.touch();
    this.#saver.keep();
  }

  cut(id: number): void {
    const { closed } = this;
    const before = this.#saver.snapshot();
    if (closed) {
      const isCut = path(this.tree, closed.node).some((node) => node.id === id);
      this.closed = isCut ? undefined : { ...closed, node: remove(this.tree, id, closed.node)[1] };
    }
    [this.tree, this.at] = remove(this.tree, id, this.at);
    this.forward.clear();
    this.auto = this.humans.includes(this.state.side);
    this.#saver.touch();
    this.#changed();
    toast(t("deleted"), {
      label: t("undo"),
      run: () => this.#takeUp({ ...before, listed: false }),
    });
  }

  /** Resumes the game that was on the board when the page was left, or starts one. Returns whether the visit is new. */
  resume(): boolean {
    const { players, game } = readKept();
    if (players) this.players = players;
    try {
      if (game) {
        // A clock waits until the user is present.
        const paused = game.paused || (game.clock !== undefined && game.tree.nodes.length > 1);
        this.#takeUp({ ...game, paused, fen: checkGame(game) });
        return false;
      }
    } catch {
      // This version of the engine rejects the game; a new one replaces it.
    }
    this.start({ variant: firstVariant() });
    return players === undefined;
  }

  /** Opens the contents of a link. An invalid link changes nothing, and is reported. */
  follow(read: () => Shared | undefined): void {
    try {
      const shared = read();
      if (shared) this.openShared(shared);
    } catch (error) {
      this.fault = t("fault.link", { text: faultText(error) });
    }
  }
}

export const session = new Session();

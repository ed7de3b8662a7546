import type {
  GameEnd,
  Layout,
  MoveParts,
  OptionValues,
  Position,
  Ruleset,
  Side,
  State,
  Variant,
} from "millbrain";
import { isStill } from "../board/motion.js";
import { click, type Pick } from "../board/pick.js";
import { playing } from "../engine/desk.js";
import { rules as engineRules } from "../engine/rules.js";
import { type Clock, flagged, newClock, press, run, timeLeft, type TimeControl } from "../game/clock.js";
import { type Refusal, refusal } from "../game/refusal.js";
import { type Shared } from "../game/share.js";
import { ofRules, other, resignation, SIDES } from "../game/text.js";
import {
  emptyTree,
  judged,
  leaf,
  line,
  moves,
  nodeOf,
  path,
  play,
  promote,
  remove,
  ROOT,
  type Judgement,
  type Tree,
  type TreeNode,
  update,
} from "../game/tree.js";
import { ruleset } from "../game/variants.js";
import { t } from "../i18n/index.svelte.js";
import { faultText } from "../panels/faults.js";
import { playerText } from "../panels/words.js";
import { library, newKey } from "./games.svelte.js";
import { readKept, writeKept } from "./kept.js";
import { nextLevel, resultOf } from "./ladder.js";
import { type Player, searching } from "./players.js";
import { withGame, withKey } from "./statistics.js";
import { statistics } from "./statistics.svelte.js";
import { type Kept, type ListedGame } from "./stored.js";
import { toast } from "./view.svelte.js";

/** So long an answer takes at least, so that one sees one's own move first. */
const LEAST_REPLY = 350;
/** Nodes for a hint and for the best move: strong, and there within a second. */
const HINT_NODES = 400_000;

/** An end that the rules do not give, and the node where it came. */
export interface Closed extends GameEnd {
  readonly node: number;
}

/** A game with its variations. */
interface Unplaced {
  readonly rules: Ruleset;
  readonly fen?: string | undefined;
  readonly tree: Tree;
}

/** A game that can be put on the board. */
export interface Opened extends Unplaced {
  readonly at: number;
  readonly closed?: Closed | undefined;
  readonly key?: string;
  readonly players?: Record<Side, Player> | undefined;
  /** When it was last played on. */
  readonly saved?: number;
  readonly revision?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** The game on the board: the one place where it changes. */
export class Session {
  rules = $state.raw<Ruleset>({ variant: "morris" });
  /** The first position, where it is not the start of the game. */
  fen = $state.raw<string | undefined>();
  tree = $state.raw<Tree>(emptyTree());
  at = $state(ROOT);
  players = $state<Record<Side, Player>>({
    white: { kind: "human", level: 8, time: 1000 },
    black: { kind: "computer", level: 8, time: 1000 },
  });
  closed = $state.raw<Closed | undefined>();
  /**
   * The clock of a game that is played with one. It begins with the first move, and stands while the game is paused or
   * over, while one looks at earlier positions or has taken moves back, and while the page is closed.
   */
  clock = $state.raw<Clock | undefined>();
  /** Whether computers move by themselves: not while one looks at earlier positions. */
  auto = $state(true);
  paused = $state(false);
  pick = $state.raw<Pick>({});
  /** Why the last click did nothing. */
  refused = $state.raw<Refusal | undefined>();
  thinking = $state(false);
  /** A search for a hint or a best move is on. */
  seeking = $state(false);
  hint = $state.raw<string | undefined>();
  /** The last move by a computer, for those who listen; and what went wrong, for all. */
  spoken = $state.raw<{ move: string; side: Side } | undefined>();
  fault = $state<string | undefined>();
  /** What has happened to the engine at this position. */
  notice = $state("");
  key = $state(newKey());

  /** Rules and position as text. It stays the same when only what is known of the moves changes. */
  readonly place = $derived(JSON.stringify([this.rules, this.fen ?? null, moves(this.tree, this.at)]));
  readonly state: State = $derived(this.#stateAt(this.place));
  /** The side that makes the first move. */
  readonly first: Side = $derived(engineRules().state(this.rules, { fen: this.fen }).side);
  readonly layout: Layout = $derived(engineRules().layout(this.rules));
  readonly end: GameEnd | null = $derived(
    this.closed?.node === this.at ? this.closed : this.state.ending && ofRules(this.state.ending),
  );
  readonly legal: readonly MoveParts[] = $derived(this.end ? [] : this.state.moves);
  /** Whether a human can move a stone now. */
  readonly canMove = $derived(
    this.end === null && (this.players[this.state.side].kind === "human" || !this.auto || this.paused),
  );
  readonly humans = $derived(
    (["white", "black"] as const).filter((side) => this.players[side].kind === "human"),
  );

  #search = new AbortController();
  #turn = 0;
  #flag: ReturnType<typeof setTimeout> | undefined;
  /** Where the line went on that one came back from. */
  #forward = new Map<number, number>();
  /** Games after which a level has been offered, or none had to be. */
  #offered = new Set<string>();
  /** When the game was last played on. */
  #date = 0;
  /** Whether it is among the games of this device as it is, or need not be: nothing has been played here. */
  #listed = true;

  #stateAt(place: string): State {
    const [rules, fen, played] = JSON.parse(place) as [Ruleset, string | null, string[]];
    return engineRules().state(rules, { fen: fen ?? undefined, moves: played });
  }

  get position(): Position {
    return { fen: this.fen, moves: moves(this.tree, this.at) };
  }

  /** A move by these rules taken apart; nothing for what is none. */
  parts(move: string): MoveParts | undefined {
    return engineRules().parts(this.rules, move) ?? undefined;
  }

  get node(): TreeNode {
    return nodeOf(this.tree, this.at);
  }

  /** Called after every change: keeps the game, and lets a computer move whose turn it is. */
  #changed(): void {
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
    // One sees one's own move first, but not at the cost of the last seconds.
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

  /** The game is not what it was: it is kept with the next change of the board, which follows. */
  #touch(): void {
    this.#date = Date.now();
    this.#listed = false;
  }

  #go([tree, at]: readonly [Tree, number]): void {
    this.#touch();
    if (this.clock) this.clock = press(this.clock, this.state.side, performance.now());
    this.#forward.set(nodeOf(tree, at).parent, at);
    this.tree = tree;
    this.at = at;
    this.#changed();
    this.#count();
  }

  /** Adds a game that has just ended to the statistics. */
  #count(): void {
    if (this.end) statistics.add((before) => withGame(before, this.listed(true)));
  }

  /** Lets the clock run for the side to move, or has it stand; and has its flag fall in time. */
  #tick(): void {
    clearTimeout(this.#flag);
    if (this.clock === undefined) return;
    const now = performance.now();
    const { side } = this.state;
    const stands =
      this.end !== null || this.paused || this.at === ROOT || this.next(this.at) !== undefined || !this.auto;
    this.clock = run(this.clock, stands ? undefined : side, now);
    // A timer may come too early.
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
    this.#touch();
    this.#changed();
    this.#count();
  }

  /** Notes what is known of a position, unless something better is known. */
  judge(id: number, line: Judgement): void {
    this.tree = judged(this.tree, id, line);
  }

  /** Notes marks of moves. */
  note(id: number, changes: Partial<TreeNode>): void {
    if (this.tree.nodes[id] === undefined) return;
    this.tree = update(this.tree, id, changes);
    this.#listed = false;
  }

  /** A click on a point of the board. */
  click(point: string): void {
    this.refused = undefined;
    if (!this.canMove) {
      const { side } = this.state;
      if (this.end === null) this.refused = { key: "refused.turn", point, side };
      return;
    }
    this.refused = refusal(this, point);
    // A slip while a stone is to be taken takes nothing back.
    if (this.refused && this.pick.to !== undefined) return;
    const clicked = click(this.legal, this.pick, point);
    if ("move" in clicked) this.play(clicked.move);
    else this.pick = clicked.pick;
  }

  cancel(): void {
    this.refused = undefined;
    this.pick = {};
    this.hint = undefined;
  }

  /** Plays a move for the side to move, by hand. */
  play(move: string): void {
    if (!this.legal.some(({ text }) => text === move)) return;
    const isOwn = this.players[this.state.side].kind === "human";
    const time = Math.round(performance.now() - this.#turn);
    if (isOwn) this.auto = true;
    // Who moves plays on.
    if (isOwn && this.clock) this.paused = false;
    this.#go(play(this.tree, this.at, move, { time }));
  }

  start(
    rules: Ruleset,
    {
      fen,
      players,
      control,
    }: { fen?: string | undefined; players?: Record<Side, Player>; control?: TimeControl | undefined } = {},
  ): void {
    // A game that cannot be: its fault is told before anything changes.
    engineRules().state(rules, { fen });
    const clock = control && newClock(control);
    this.#replace({ rules, fen, tree: emptyTree(), at: ROOT, players, clock });
    this.auto = true;
    // A computer that plays is fetched while one thinks about the first move; not if a link opens another game at once.
    queueMicrotask(() => {
      if (this.humans.length < 2) playing.engine(this.rules).catch(() => {});
    });
    void playing.newGame();
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

  restart(): void {
    this.start(this.rules, { fen: this.fen, control: this.clock?.control });
  }

  /** The same players once more, with the colours exchanged. */
  rematch(): void {
    const { white, black } = this.players;
    const players = { white: { ...black }, black: { ...white } };
    this.start(this.rules, { fen: this.fen, players, control: this.clock?.control });
  }

  /**
   * Opens a game: everything in it is checked before anything changes.
   * @throws when the rules, the position or a move are none for the engine
   */
  open(game: Opened, said?: string): void {
    this.#replace({ ...game, fen: checkGame(game) }, said);
    this.auto = this.humans.includes(this.state.side);
    this.#changed();
  }

  openShared(shared: Shared): void {
    const [tree, at] = line(shared.moves);
    this.open({ rules: shared.rules, fen: shared.fen, tree, at });
  }

  /** Puts another game on the board. One that was in progress there can be had back. */
  #replace(game: Opened, said?: string): void {
    const before = this.#snapshot();
    const isInProgress = (this.tree.nodes.length > 1 || this.fen !== undefined) && this.end === null;
    this.#put(game);
    this.#date = game.saved ?? 0;
    this.#listed = true;
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
    this.clock = game.clock;
    this.key = game.key ?? newKey();
    if (game.revision !== undefined) library.learn(this.key, [game.revision]);
    if (game.players) this.players = game.players;
    this.#forward.clear();
    this.paused = false;
    this.spoken = undefined;
  }

  /** Goes on with a game as it was left. */
  #takeUp(kept: Kept & { players?: Record<Side, Player> | undefined }): void {
    this.#put(kept);
    library.learn(kept.key, kept.known);
    this.#date = kept.date;
    this.#listed = kept.listed;
    this.paused = kept.paused;
    this.auto = kept.auto;
    this.#changed();
  }

  #stateOf(id: number): State {
    return engineRules().state(this.rules, { fen: this.fen, moves: moves(this.tree, id) });
  }

  /** Goes to a position without playing on from it. */
  goto(id: number): void {
    if (this.tree.nodes[id] === undefined) return;
    for (const node of path(this.tree, this.at)) this.#forward.set(node.parent, node.id);
    this.at = id;
    this.auto = this.humans.includes(this.state.side);
    this.#changed();
  }

  /** Whether a step stops at this position: where a human is to move, if one plays at all. */
  #isStop(id: number): boolean {
    return this.humans.length !== 1 || this.#stateOf(id).side === this.humans[0];
  }

  takeBack(): void {
    if (this.at === ROOT) return;
    // A game that one has resigned goes on where it was.
    if (this.closed?.node === this.at) {
      this.closed = undefined;
      this.#touch();
      this.#changed();
      return;
    }
    let id = this.node.parent;
    while (id !== ROOT && !this.#isStop(id)) id = nodeOf(this.tree, id).parent;
    if (this.humans.length === 0) this.paused = true;
    this.goto(id);
  }

  next(id: number): number | undefined {
    const { children } = nodeOf(this.tree, id);
    const forward = this.#forward.get(id);
    return forward !== undefined && children.includes(forward) ? forward : children[0];
  }

  redo(): void {
    let id = this.next(this.at);
    if (id === undefined) return;
    for (let on = this.next(id); on !== undefined && !this.#isStop(id); on = this.next(id)) id = on;
    this.goto(id);
  }

  /** One move back or on, whoever made it. */
  step(by: -1 | 1): void {
    const id = by < 0 ? this.node.parent : this.next(this.at);
    if (id !== undefined && id >= 0) this.goto(id);
  }

  toEnd(): void {
    this.goto(leaf(this.tree, this.at));
  }

  resign(): void {
    if (this.end) return;
    const side = this.humans.length === 1 ? (this.humans[0] as Side) : this.state.side;
    this.closed = { node: this.at, ...resignation(side) };
    this.#touch();
    this.#changed();
    this.#count();
  }

  /** Computers go on from here. */
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

  setPlayers(players: Record<Side, Player>): void {
    this.players = players;
    this.auto = true;
    this.#changed();
  }

  random(): void {
    if (!this.canMove) return;
    const move = engineRules().randomMove(this.rules, this.position);
    if (move !== null) this.play(move);
  }

  /** Looks for the best move at full strength, whatever the levels are: shows it, or plays it. */
  async seek(then: "show" | "play"): Promise<void> {
    if (!this.canMove || this.seeking) return;
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    this.seeking = true;
    // The same hint again is told again.
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

  promote(id: number): void {
    this.tree = promote(this.tree, id);
    this.#touch();
    this.keep();
  }

  cut(id: number): void {
    const { closed } = this;
    const before = this.#snapshot();
    if (closed) {
      const isCut = path(this.tree, closed.node).some((node) => node.id === id);
      this.closed = isCut ? undefined : { ...closed, node: remove(this.tree, id, closed.node)[1] };
    }
    [this.tree, this.at] = remove(this.tree, id, this.at);
    this.#forward.clear();
    this.auto = this.humans.includes(this.state.side);
    this.#touch();
    this.#changed();
    toast(t("deleted"), {
      label: t("undo"),
      run: () => this.#takeUp({ ...before, listed: false }),
    });
  }

  #snapshot(): Kept & { players: Record<Side, Player> } {
    const { rules, fen, tree, at, closed, auto, paused, key, clock } = this;
    const players = { white: { ...this.players.white }, black: { ...this.players.black } };
    return {
      rules,
      fen,
      tree,
      at,
      players,
      closed,
      auto,
      paused,
      key,
      // What is kept stands.
      clock: clock && run(clock, undefined, performance.now()),
      date: this.#date,
      listed: this.#listed,
      known: Array.from(library.known(key)),
    };
  }

  keep(): void {
    const isPlayed = this.tree.nodes.length > 1;
    if (!this.#listed && isPlayed) void this.list({ auto: true });
    writeKept(this.#snapshot());
  }

  /** Puts the game among those of this device: for good, or as one of the last that were played. */
  async list({ auto }: { auto: boolean }): Promise<void> {
    const { key, tree, closed } = this;
    const written = await library.keep(this.listed(auto)).catch((error: unknown) => {
      if (!auto) throw error;
      // Without a database the game on the board is all there is.
    });
    if (written === undefined || this.key !== key) return;
    if (written !== key) {
      this.key = written;
      statistics.add((before) => withKey(before, key, written));
      toast(t("forked"));
    }
    this.#listed = this.tree === tree && this.closed === closed;
    writeKept(this.#snapshot());
    if (auto) await this.#offerLevel();
  }

  /** After some games won or lost, offers a computer that is a level stronger or weaker: once for each game. */
  async #offerLevel(): Promise<void> {
    const { key } = this;
    if (this.end === null || this.#offered.has(key)) return;
    this.#offered.add(key);
    const played = (await library.all()).map((game) => ("isBroken" in game ? undefined : resultOf(game)));
    const level = nextLevel(played.filter((result) => result !== undefined));
    const computer = SIDES.find((side) => this.players[side].kind === "computer");
    if (level === undefined || computer === undefined || this.key !== key) return;
    const isUp = level > this.players[computer].level;
    toast(t(isUp ? "levelUp" : "levelDown"), {
      label: t("level.n", { n: level }),
      run: () => {
        const players = { ...this.players, [computer]: { ...this.players[computer], level } };
        this.start(this.rules, { fen: this.fen, players, control: this.clock?.control });
      },
    });
  }

  /** The game as it goes among those of this device. */
  listed(auto: boolean): ListedGame {
    const { rules, fen, tree, at, closed, key, players } = this.#snapshot();
    const end = this.lineEnd();
    const { ending } = this.#stateOf(end);
    const outcome = closed?.node === end ? closed.outcome : ending && ofRules(ending).outcome;
    return {
      key,
      saved: auto ? this.#date : Date.now(),
      rules,
      fen,
      tree,
      at,
      closed,
      players,
      auto,
      white: playerText(players.white),
      black: playerText(players.black),
      plies: path(tree, end).length,
      outcome: outcome ?? undefined,
    };
  }

  /** The end of the line through the position on the board. */
  lineEnd(): number {
    const { closed, tree, at } = this;
    return closed && path(tree, closed.node).some((node) => node.id === at) ? closed.node : leaf(tree, at);
  }

  /** Takes up the game that was on the board when the page was left, or begins one. */
  resume(): void {
    const { players, game } = readKept();
    if (players) this.players = players;
    try {
      if (game) {
        // A clock does not run on before anybody is there.
        const paused = game.paused || (game.clock !== undefined && game.tree.nodes.length > 1);
        return this.#takeUp({ ...game, paused, fen: checkGame(game) });
      }
    } catch {
      // No game for this version of the engine; the new one takes its place.
    }
    this.start({ variant: "morris" });
  }

  /** Opens what a link holds. A bad one changes nothing, and is told. */
  follow(read: () => Shared | undefined): void {
    try {
      const shared = read();
      if (shared) this.openShared(shared);
    } catch (error) {
      this.fault = t("fault.link", { text: faultText(error) });
    }
  }
}

/**
 * Checks a game by the engine's rules; returns its first position in the engine's own form.
 * @throws what the engine says against it
 */
export function checkGame({ rules, fen, tree }: Unplaced): string | undefined {
  for (const node of tree.nodes) {
    if (node.children.length === 0) engineRules().state(rules, { fen, moves: moves(tree, node.id) });
  }
  if (fen === undefined) return undefined;
  const first = engineRules().state(rules, { fen }).fen;
  return first === engineRules().state(rules).fen ? undefined : first;
}

export const session = new Session();

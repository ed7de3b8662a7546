import type { Ending, OptionValues, Position, Ruleset, Side, State, Variant } from "millbrain";
import { isStill } from "../board/motion.js";
import { click, type Pick } from "../board/pick.js";
import { playing } from "../engine/desk.js";
import { rules as engineRules } from "../engine/rules.js";
import { type Shared } from "../game/share.js";
import {
  emptyTree,
  judged,
  leaf,
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
import { inForce, ruleset } from "../game/variants.js";
import { newKey } from "./games.js";
import { type Kept, readKept, writeKept } from "./kept.js";
import { type Player, searching } from "./players.js";

/** So long an answer takes at least, so that one sees one's own move first. */
const LEAST_REPLY = 350;
/** Nodes for a hint and for the best move: strong, and there within a second. */
const HINT_NODES = 400_000;

export const other = (side: Side): Side => (side === "white" ? "black" : "white");

/** A game that has ended, by the rules or because somebody has resigned. */
export interface End extends Ending {
  readonly resigned?: Side;
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
  resigned = $state.raw<{ node: number; side: Side } | undefined>();
  /** Whether computers move by themselves: not while one looks at earlier positions. */
  auto = $state(true);
  paused = $state(false);
  pick = $state.raw<Pick>({});
  thinking = $state(false);
  /** A search for a hint or a best move is on. */
  seeking = $state(false);
  hint = $state.raw<string | undefined>();
  /** The last move by a computer, for those who listen; and what went wrong, for all. */
  spoken = $state.raw<{ move: string; side: Side } | undefined>();
  fault = $state<string | undefined>();
  key = newKey();

  /** Rules and position as text. It stays the same when only what is known of the moves changes. */
  readonly place = $derived(JSON.stringify([this.rules, this.fen ?? null, moves(this.tree, this.at)]));
  readonly state: State = $derived(this.#stateAt(this.place));
  readonly end: End | null = $derived(
    this.resigned?.node === this.at
      ? { winner: other(this.resigned.side), reason: "resigned", resigned: this.resigned.side }
      : this.state.ending,
  );
  readonly legal: readonly string[] = $derived(this.end ? [] : this.state.moves);
  /** Whether a human can move a stone now. */
  readonly canMove = $derived(
    this.end === null && (this.players[this.state.side].kind === "human" || !this.auto || this.paused),
  );
  readonly stones = $derived(Number(inForce(this.rules)["Stones"] ?? 0));
  readonly humans = $derived(
    (["white", "black"] as const).filter((side) => this.players[side].kind === "human"),
  );

  #search = new AbortController();
  #turn = 0;
  /** Where the line went on that one came back from. */
  #forward = new Map<number, number>();

  #stateAt(place: string): State {
    const [rules, fen, played] = JSON.parse(place) as [Ruleset, string | null, string[]];
    return engineRules().state(rules, { fen: fen ?? undefined, moves: played });
  }

  get position(): Position {
    return { fen: this.fen, moves: moves(this.tree, this.at) };
  }

  get node(): TreeNode {
    return nodeOf(this.tree, this.at);
  }

  /** Called after every change: keeps the game, and lets a computer move whose turn it is. */
  #changed(): void {
    this.pick = {};
    this.hint = undefined;
    this.fault = undefined;
    this.#search.abort();
    this.seeking = false;
    this.thinking = false;
    this.#turn = performance.now();
    this.keep();
    const player = this.players[this.state.side];
    if (this.end || !this.auto || this.paused || player.kind === "human") return;
    this.thinking = true;
    this.#search = new AbortController();
    void this.#think(player, this.#search.signal);
  }

  async #think(player: Player, signal: AbortSignal): Promise<void> {
    const { limits, options } = searching(player);
    const started = performance.now();
    const at = this.at;
    try {
      const search = await playing.analyse(this.rules, this.position, limits, { options, signal });
      const found = await search?.result;
      const time = performance.now() - started;
      if (time < LEAST_REPLY && !isStill()) {
        await new Promise((resolve) => setTimeout(resolve, LEAST_REPLY - time));
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
      this.fault = error instanceof Error ? error.message : String(error);
    }
  }

  #go([tree, at]: readonly [Tree, number]): void {
    this.#forward.set(nodeOf(tree, at).parent, at);
    this.tree = tree;
    this.at = at;
    this.#changed();
  }

  /** Notes what is known of a position, unless something better is known. */
  judge(id: number, line: Judgement): void {
    this.tree = judged(this.tree, id, line);
  }

  /** Notes marks of moves. */
  note(id: number, changes: Partial<TreeNode>): void {
    if (this.tree.nodes[id] !== undefined) this.tree = update(this.tree, id, changes);
  }

  /** A click on a point of the board. */
  click(point: string): void {
    if (!this.canMove) return;
    const clicked = click(this.legal, this.pick, point);
    if ("move" in clicked) this.play(clicked.move);
    else this.pick = clicked.pick;
  }

  cancel(): void {
    this.pick = {};
    this.hint = undefined;
  }

  /** Plays a move for the side to move, by hand. */
  play(move: string): void {
    if (!this.legal.includes(move)) return;
    const isOwn = this.players[this.state.side].kind === "human";
    const time = Math.round(performance.now() - this.#turn);
    if (isOwn) this.auto = true;
    this.#go(play(this.tree, this.at, move, { time }));
  }

  start(
    rules: Ruleset,
    { fen, players }: { fen?: string | undefined; players?: Record<Side, Player> } = {},
  ): void {
    this.rules = rules;
    this.fen = fen;
    this.tree = emptyTree();
    this.at = ROOT;
    this.resigned = undefined;
    this.key = newKey();
    this.#forward.clear();
    if (players) this.players = players;
    this.auto = true;
    this.paused = false;
    this.spoken = undefined;
    // A computer that plays is fetched while one thinks about the first move.
    if (this.humans.length < 2) playing.engine().catch(() => {});
    void playing.newGame();
    this.#changed();
  }

  startVariant(variant: Variant, options: OptionValues, players: Record<Side, Player>): void {
    this.start(ruleset(variant, options), { players });
  }

  restart(): void {
    this.start(this.rules, { fen: this.fen });
  }

  /** Opens a game: everything in it is checked before anything changes. */
  open(game: {
    rules: Ruleset;
    fen?: string | undefined;
    tree: Tree;
    at: number;
    resigned?: Kept["resigned"];
    key?: string;
  }): void {
    for (const node of game.tree.nodes) {
      if (node.children.length === 0)
        engineRules().state(game.rules, { fen: game.fen, moves: moves(game.tree, node.id) });
    }
    this.rules = game.rules;
    this.fen = game.fen;
    this.tree = game.tree;
    this.at = game.at;
    this.resigned = game.resigned;
    this.key = game.key ?? newKey();
    this.#forward.clear();
    this.paused = false;
    this.spoken = undefined;
    this.auto = this.humans.includes(this.state.side);
    this.#changed();
  }

  openShared(shared: Shared): void {
    let tree = emptyTree();
    let at = ROOT;
    for (const move of shared.moves) [tree, at] = play(tree, at, move);
    this.open({ rules: shared.rules, fen: shared.fen, tree, at });
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
    if (this.resigned?.node === this.at) {
      this.resigned = undefined;
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
    this.resigned = { node: this.at, side };
    this.#changed();
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
    try {
      const options = { MultiPV: 1, UCI_AnalyseMode: true };
      const search = await playing.analyse(
        this.rules,
        this.position,
        { nodes: HINT_NODES },
        { options, signal },
      );
      const found = await search?.result;
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
      this.fault = error instanceof Error ? error.message : String(error);
    }
  }

  promote(id: number): void {
    this.tree = promote(this.tree, id);
    this.keep();
  }

  cut(id: number): void {
    [this.tree, this.at] = remove(this.tree, id, this.at);
    this.resigned = undefined;
    this.auto = this.humans.includes(this.state.side);
    this.#changed();
  }

  keep(): void {
    const { rules, fen, tree, at, players, resigned, auto, paused, key } = this;
    const kept: Kept = {
      rules,
      tree,
      at,
      players,
      auto,
      paused,
      key,
      ...(fen === undefined ? {} : { fen }),
      ...(resigned ? { resigned } : {}),
    };
    writeKept(kept);
  }

  /** Takes up the game that was on the board when the page was left, or begins one. */
  resume(shared?: Shared): void {
    const { players, game } = readKept();
    if (players) this.players = players;
    try {
      if (shared) return this.openShared(shared);
    } catch (error) {
      this.start({ variant: "morris" });
      this.fault = error instanceof Error ? error.message : String(error);
      return;
    }
    try {
      if (game) {
        this.open(game);
        this.paused = game.paused;
        this.auto = game.auto;
        this.#changed();
        return;
      }
    } catch {
      // Kept by another version; the new game below replaces it.
    }
    this.start({ variant: "morris" });
  }
}

export const session = new Session();

import type { OptionValues, Ruleset, Side, Variant } from "millbrain";
import { playing } from "../engine/client.js";
import { rules as engineRules } from "../engine/rules.js";
import { type Clock, newClock, run, type TimeControl } from "../game/clock.js";
import { checkGame, type Closed, closing, type Played } from "../game/played.js";
import { type Shared } from "../game/share.js";
import { type Names, ofRules, SIDES } from "../game/text.js";
import { emptyTree, line, path, promote, remove, ROOT, type TreeNode, update } from "../game/tree.js";
import { ruleset } from "../game/variants.js";
import { t } from "../i18n/index.svelte.js";
import { faultText } from "../texts/faults.js";
import { newKey } from "./games/database.js";
import { library } from "./games/games.svelte.js";
import { readKept, writeKept } from "./games/kept.js";
import { nextLevel, resultOf } from "./ladder.js";
import { type Player } from "../game/players.js";
import { withGame, withKey } from "./games/statistics.js";
import { statistics } from "./games/statistics.svelte.js";
import { type Kept, type ListedGame } from "./games/stored.js";
import { toast } from "./view.svelte.js";
import { Play } from "./play.svelte.js";

/** A game that can be put on the board. */
export interface Opened extends Played {
  readonly at: number;
  readonly closed?: Closed | undefined;
  readonly key?: string;
  readonly players?: Record<Side, Player> | undefined;
  /** The players, if it was played elsewhere. */
  readonly names?: Names | undefined;
  /** Time of the last move. */
  readonly saved?: number;
  readonly revision?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** The game on the board; the only place where it changes. */
export class Session extends Play {
  /** Whether the user is new and has not started anything. */
  isNew = $state(false);

  /** Games after which a level was offered, or considered. */
  #offered = new Set<string>();
  /** Time of the last move. */
  #date = $state(0);
  /** Whether its current state is among the games of this device, or need not be: nothing was played here. */
  #listed = true;

  get date(): number {
    return this.#date;
  }

  /** Called when the game changes: it is stored with the next change of the board, which follows. */
  protected touch(): void {
    this.isNew = false;
    this.#date = Date.now();
    this.#listed = false;
  }

  /** Adds a game that has just ended to the statistics. */
  protected count(): void {
    if (this.end) statistics.add((before) => withGame(before, this.listed(true)));
  }

  /** Stores marks of moves. */
  note(id: number, changes: Partial<TreeNode>): void {
    if (this.tree.nodes[id] !== undefined) this.tree = update(this.tree, id, changes);
  }

  /** Stores the marks of the game, and changes nothing else of its stored version. */
  keepMarks(): void {
    void library.mark(this.listed(true)).catch(() => {});
    this.keep();
  }

  start(
    rules: Ruleset,
    {
      fen,
      players,
      control,
    }: { fen?: string | undefined; players?: Record<Side, Player>; control?: TimeControl | undefined } = {},
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
    this.changed();
  }

  override setPlayers(players: Record<Side, Player>): void {
    if (this.names !== undefined) {
      // The original remains as played; playing on makes another game.
      this.names = undefined;
      this.key = newKey();
      this.touch();
    }
    super.setPlayers(players);
  }

  startVariant(
    variant: Variant,
    options: OptionValues,
    players: Record<Side, Player>,
    control?: TimeControl,
  ): void {
    this.isNew = false;
    this.start(ruleset(variant, options), { players, control });
  }

  restart(): void {
    this.start(this.rules, { fen: this.fen, control: this.clock?.control });
  }

  /** Starts another game with the same players, with the colours exchanged. */
  rematch(): void {
    const { white, black } = this.players;
    const players = { white: { ...black }, black: { ...white } };
    this.start(this.rules, { fen: this.fen, players, control: this.clock?.control });
  }

  /**
   * Opens a game: it is checked completely before anything changes.
   * @throws when the engine rejects the rules, the position or a move
   */
  open(game: Opened, said?: string): void {
    this.#replace({ ...game, fen: checkGame(game) }, said);
    this.auto = this.humans.includes(this.state.side);
    this.changed();
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
    const before = this.#snapshot();
    const isInProgress = (this.tree.nodes.length > 1 || this.fen !== undefined) && this.end === null;
    this.#put(game);
    this.#date = game.saved ?? Date.now();
    this.#listed = true;
    if (isInProgress) {
      toast(said ?? t("replaced"), { label: t("undo"), run: () => this.#takeUp(before) });
    } else if (said !== undefined) toast(said);
  }

  #put(game: Opened): void {
    if (game.tree.nodes.length > 1) this.isNew = false;
    this.rules = game.rules;
    this.fen = game.fen;
    this.tree = game.tree;
    this.at = game.at;
    this.closed = game.closed;
    this.clock = game.clock;
    this.key = game.key ?? newKey();
    if (game.revision !== undefined) library.learn(this.key, [game.revision]);
    if (game.players) this.players = game.players;
    this.names = game.names;
    this.forward.clear();
    this.paused = false;
    this.spoken = undefined;
  }

  /** Resumes a stored game. */
  #takeUp(kept: Kept & { players?: Record<Side, Player> | undefined }): void {
    this.#put(kept);
    library.learn(kept.key, kept.known);
    this.#date = kept.date;
    this.#listed = kept.listed;
    this.paused = kept.paused;
    this.auto = kept.auto;
    this.changed();
  }

  promote(id: number): void {
    this.tree = promote(this.tree, id);
    this.touch();
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
    this.forward.clear();
    this.auto = this.humans.includes(this.state.side);
    this.touch();
    this.changed();
    toast(t("deleted"), {
      label: t("undo"),
      run: () => this.#takeUp({ ...before, listed: false }),
    });
  }

  #snapshot(): Kept & { players: Record<Side, Player> } {
    const { rules, fen, tree, at, names, closed, auto, paused, key, clock } = this;
    const players = { white: { ...this.players.white }, black: { ...this.players.black } };
    return {
      rules,
      fen,
      tree,
      at,
      players,
      names,
      closed,
      auto,
      paused,
      key,
      // A stored clock is stopped.
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

  /** Adds the game to those of this device: permanently, or as one of the last played. */
  async list({ auto }: { auto: boolean }): Promise<void> {
    const { key, tree, closed } = this;
    const written = await library.keep(this.listed(auto)).catch((error: unknown) => {
      if (!auto) throw error;
      // Without a database only the game on the board exists.
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

  /** After several wins or losses, offers a stronger or weaker computer: once per game. */
  async #offerLevel(): Promise<void> {
    const { key } = this;
    if (this.end === null || this.names !== undefined || this.#offered.has(key)) return;
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

  /** Returns the game in the form for this device's list. */
  listed(auto: boolean): ListedGame {
    const { rules, fen, tree, at, closed, key, names, players } = this.#snapshot();
    const end = this.lineEnd();
    const { ending } = this.stateOf(end);
    const outcome = closed?.node === end ? closed.outcome : ending && ofRules(ending).outcome;
    return {
      key,
      saved: auto ? this.#date : Date.now(),
      rules,
      fen,
      tree,
      at,
      closed,
      players: names ? undefined : players,
      auto,
      white: this.nameOf("white"),
      black: this.nameOf("black"),
      plies: path(tree, end).length,
      outcome: outcome ?? undefined,
    };
  }

  /** Resumes the game that was on the board when the page was left, or starts one. */
  resume(): void {
    const { players, game } = readKept();
    this.isNew = players === undefined && game === undefined;
    if (players) this.players = players;
    try {
      if (game) {
        // A clock waits until the user is present.
        const paused = game.paused || (game.clock !== undefined && game.tree.nodes.length > 1);
        return this.#takeUp({ ...game, paused, fen: checkGame(game) });
      }
    } catch {
      // This version of the engine rejects the game; a new one replaces it.
    }
    this.start({ variant: "morris" });
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

import type { Side } from "millbrain";
import type { Clock } from "../game/clock.js";
import type { Player } from "../game/players.js";
import { type Facts, type Names, ofRules, SIDES } from "../game/text.js";
import { path } from "../game/tree.js";
import { t } from "../i18n/index.svelte.js";
import type { GameOnBoard } from "./board.svelte.js";
import { library } from "./games/games.svelte.js";
import { writeKept } from "./games/kept.js";
import { withGame, withKey } from "./games/statistics.js";
import { statistics } from "./games/statistics.svelte.js";
import type { Kept, ListedGame } from "./games/stored.js";
import { nextLevel, resultOf } from "./ladder.js";
import { levelText } from "../texts/words.js";
import { toast } from "./view.svelte.js";

/** A game that can be stored. */
type Storable = Pick<
  GameOnBoard,
  "key" | "rules" | "fen" | "tree" | "at" | "closed" | "end" | "nameOf" | "lineEnd" | "stateOf"
> & {
  readonly names: Names | undefined;
  readonly facts: Facts | undefined;
  readonly players: Record<Side, Player>;
  readonly auto: boolean;
  readonly paused: boolean;
  /** The clock, stopped. */
  readonly stopped: Clock | undefined;
  /** Starts the game again with these players. */
  restart(players: Record<Side, Player>): void;
};

/** Stores a game: for the next visit, in the list of this device, and in the statistics. */
export class Saver {
  /** Time of the last move. */
  date = $state(0);
  /** Whether its current state is among the games of this device, or need not be: nothing was played here. */
  isListed = true;

  readonly #game: Storable;
  /** Games after which a level was offered, or considered. */
  #offered = new Set<string>();

  constructor(game: Storable) {
    this.#game = game;
  }

  /** Called when the game changes: it is stored with the next change of the board, which follows. */
  touch(): void {
    this.date = Date.now();
    this.isListed = false;
  }

  /** Adds a game that has just ended to the statistics. */
  count(): void {
    if (this.#game.end) statistics.add((before) => withGame(before, this.listed(true)));
  }

  /** Stores the marks of the game, and changes nothing else of its stored version. */
  keepMarks(): void {
    void library.mark(this.listed(true)).catch(() => {});
    this.keep();
  }

  /** Returns the game as it is stored for the next visit. */
  snapshot(): Kept & { players: Record<Side, Player> } {
    const { rules, fen, tree, at, names, facts, closed, auto, paused, key, players, stopped } = this.#game;
    return {
      rules,
      fen,
      tree,
      at,
      players: { white: { ...players.white }, black: { ...players.black } },
      names,
      facts,
      closed,
      auto,
      paused,
      key,
      clock: stopped,
      date: this.date,
      listed: this.isListed,
      known: Array.from(library.known(key)),
    };
  }

  keep(): void {
    const isPlayed = this.#game.tree.nodes.length > 1;
    if (!this.isListed && isPlayed) void this.list({ auto: true });
    writeKept(this.snapshot());
  }

  /** Adds the game to those of this device: permanently, or as one of the last played. */
  async list({ auto }: { auto: boolean }): Promise<void> {
    const game = this.#game;
    const { key, tree, closed } = game;
    const written = await library.keep(this.listed(auto)).catch((error: unknown) => {
      if (!auto) throw error;
      // Without a database only the game on the board exists.
    });
    if (written === undefined || game.key !== key) return;
    if (written !== key) {
      game.key = written;
      statistics.add((before) => withKey(before, key, written));
      toast(t("forked"));
    }
    this.isListed = game.tree === tree && game.closed === closed;
    writeKept(this.snapshot());
    // The write of an earlier move may end after the game: its own has its result.
    if (auto && this.isListed) await this.#offerLevel();
  }

  /** After several wins or losses, offers a stronger or weaker computer: once per game. */
  async #offerLevel(): Promise<void> {
    const game = this.#game;
    const { key } = game;
    if (game.end === null || game.names !== undefined || this.#offered.has(key)) return;
    this.#offered.add(key);
    const played = (await library.all()).map((other) => ("isBroken" in other ? undefined : resultOf(other)));
    const level = nextLevel(played.filter((result) => result !== undefined));
    const computer = SIDES.find((side) => game.players[side].kind === "computer");
    if (level === undefined || computer === undefined || game.key !== key) return;
    const isUp = level > game.players[computer].level;
    toast(t(isUp ? "levelUp" : "levelDown"), {
      label: levelText(level),
      run: () => game.restart({ ...game.players, [computer]: { ...game.players[computer], level } }),
    });
  }

  /** Returns the game in the form for this device's list. */
  listed(auto: boolean): ListedGame {
    const { rules, fen, tree, at, closed, key, names, facts, players } = this.snapshot();
    const end = this.#game.lineEnd();
    const { ending } = this.#game.stateOf(end);
    const outcome = closed?.node === end ? closed.outcome : ending && ofRules(ending).outcome;
    return {
      key,
      saved: auto ? this.date : Date.now(),
      rules,
      fen,
      tree,
      at,
      closed,
      players: names ? undefined : players,
      facts,
      auto,
      white: this.#game.nameOf("white"),
      black: this.#game.nameOf("black"),
      plies: path(tree, end).length,
      outcome: outcome ?? undefined,
    };
  }
}

import type { Ruleset } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { askOpenings } from "../engine/server.js";
import { inSlices } from "../game/slices.js";
import { leaf } from "../game/tree.js";
import { library } from "../store/games/games.svelte.js";
import { server } from "../store/server.svelte.js";
import { session } from "../store/session.svelte.js";
import type { ListedGame } from "../store/games/stored.js";
import {
  NONE,
  OPENING_PLIES,
  openingOf,
  positionKey,
  type Results,
  type Way,
  waysOf,
  withResult,
} from "./positions.js";

/** Maximum number of latest games of this device to include: each must be replayed once. */
const MOST_GAMES = 500;
/** Delay before a request, so that stepping through a game does not query every position. */
const PAUSE = 120;

/** The moves played from a position. */
export interface Explored {
  /** The source of the games. */
  readonly from: "archive" | "device";
  readonly results: Results;
  /** By the key of the position after the move. */
  readonly moves: ReadonlyMap<string, Results>;
}

/** The openings of games of this device, by key and revision. */
const openings = new Map<string, readonly string[]>();

function keysOf(game: ListedGame): readonly string[] {
  const name = `${game.key} ${game.revision ?? game.saved}`;
  let keys = openings.get(name);
  if (keys === undefined) {
    const end = leaf(game.tree, game.closed?.node ?? game.at);
    try {
      keys = openingOf(game.rules, game.fen, game.tree, end);
    } catch {
      // A game of another version of the rules.
      keys = [];
    }
    openings.set(name, keys);
  }
  return keys;
}

class Explorer {
  ways = $state.raw<readonly Way[]>([]);
  /** `undefined` while loading. */
  explored = $state.raw<Explored | undefined>();

  /** Looks up a position, given as in `session.place`. */
  async look(place: string, signal: AbortSignal): Promise<void> {
    this.explored = undefined;
    this.ways = [];
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (signal.aborted) return;
    const [rules, fen, played] = JSON.parse(place) as [Ruleset, string | null, string[]];
    const ways = waysOf(rules, fen ?? undefined, played);
    this.ways = ways;
    const state = engineRules().state(rules, { fen: fen ?? undefined, moves: played });
    const found =
      (await this.#ofServer(rules, state.fen, ways, signal)) ??
      (await this.#ofDevice(rules, positionKey(state, engineRules().layout(rules)), signal));
    if (!signal.aborted) this.explored = found;
  }

  async #ofServer(
    rules: Ruleset,
    fen: string,
    ways: readonly Way[],
    signal: AbortSignal,
  ): Promise<Explored | undefined> {
    if (server.info?.archive !== true) return undefined;
    const reported = await askOpenings(rules, fen, signal);
    if (reported === undefined) return undefined;
    const moves = new Map<string, Results>();
    for (const { move, ...results } of reported.moves) {
      const way = ways.find(({ moves }) => moves.includes(move));
      if (way) moves.set(way.key, results);
    }
    return { from: "archive", results: reported, moves };
  }

  async #ofDevice(rules: Ruleset, key: string, signal: AbortSignal): Promise<Explored | undefined> {
    let results = NONE;
    const moves = new Map<string, Results>();
    const count = (game: ListedGame) => {
      const keys = keysOf(game);
      const ply = keys.indexOf(key);
      if (ply < 0 || ply > OPENING_PLIES) return;
      results = withResult(results, game.outcome);
      const next = keys[ply + 1];
      if (next !== undefined) moves.set(next, withResult(moves.get(next) ?? NONE, game.outcome));
    };
    try {
      const games = (await library.all()).filter(
        (game): game is ListedGame =>
          // The game on the board adds nothing new.
          !("isBroken" in game) && game.rules.variant === rules.variant && game.key !== session.key,
      );
      await inSlices(games.slice(0, MOST_GAMES), count, signal);
    } catch {
      if (signal.aborted) return undefined;
      // Without a database there are no games.
    }
    return { from: "device", results, moves };
  }
}

export const explorer = new Explorer();

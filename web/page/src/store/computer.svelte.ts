import type { Position, Ruleset, Side } from "millbrain";
import { isStill } from "@millbrain/board/model";
import { playing } from "../engine/client.js";
import { type Clock, timeLeft } from "../game/clock.js";
import { type Player, searching } from "../game/players.js";
import type { Judgement } from "../game/tree.js";

/** Minimum delay of a reply, so that the user sees their own move first. */
const LEAST_REPLY = 350;
/** Nodes for a hint and for the best move: strong, and available within a second. */
const HINT_NODES = 400_000;

/** A move of a computer player. */
export interface Reply {
  readonly move: string;
  /** Milliseconds of the search. */
  readonly time: number;
  readonly line: Judgement | undefined;
}

/** The searches for a game: replies of its computer players, and hints. Only one of them runs at a time. */
export class Computer {
  /** Whether a search for a hint or a best move is running. */
  seeking = $state(false);

  #search = new AbortController();

  stop(): void {
    this.#search.abort();
    this.seeking = false;
  }

  /** Runs a search; returns nothing if it was stopped, even by an error. */
  async #run<T>(search: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.stop();
    this.#search = new AbortController();
    const { signal } = this.#search;
    try {
      const found = await search(signal);
      return signal.aborted ? undefined : found;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Returns the move of a player on this side; nothing if the search was stopped. */
  reply(
    player: Player,
    rules: Ruleset,
    position: Position,
    side: Side,
    clock: Clock | undefined,
  ): Promise<Reply | undefined> {
    return this.#run(async (signal) => {
      const started = performance.now();
      const { limits, options } = searching(player, clock, started);
      // The user sees their own move first, but not at the cost of the last seconds.
      const least = clock ? Math.min(LEAST_REPLY, timeLeft(clock, side, started) / 20) : LEAST_REPLY;
      const found = await playing.search(rules, position, limits, { options, signal });
      const time = performance.now() - started;
      if (time < least && !isStill()) {
        await new Promise((resolve) => setTimeout(resolve, least - time));
      }
      return found?.move ? { move: found.move, time: Math.round(time), line: found.lines[0] } : undefined;
    });
  }

  /** Returns the best move at full strength, whatever the levels; nothing if the search was stopped. */
  async best(rules: Ruleset, position: Position): Promise<string | undefined> {
    const found = this.#run(async (signal) => {
      const options = { MultiPV: 1, UCI_AnalyseMode: true };
      const best = await playing.search(rules, position, { nodes: HINT_NODES }, { options, signal });
      return best?.move ?? undefined;
    });
    const search = this.#search;
    this.seeking = true;
    try {
      return await found;
    } finally {
      if (this.#search === search && !search.signal.aborted) this.seeking = false;
    }
  }
}

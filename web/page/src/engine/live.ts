import type { GameEnd, Ruleset, Score, Side, Variant } from "millbrain";

/** A side's report about its last move. */
export interface LastSaid {
  readonly score?: Score | null;
  readonly depth?: number | null;
}

/** A game of a running match. All fields are optional. */
export interface LiveGame {
  readonly number?: number;
  readonly white?: string;
  readonly black?: string;
  readonly variant?: Variant;
  /** House rules. */
  readonly options?: Ruleset["options"];
  readonly fen?: string;
  readonly moves?: readonly string[];
  /** Milliseconds left after the last move; `null` without a clock. */
  readonly clocks?: Partial<Record<Side, number | null>> | null;
  readonly last?: Partial<Record<Side, LastSaid | null>> | null;
}

export interface EndedGame {
  readonly number?: number;
  readonly white?: string;
  readonly black?: string;
  readonly result?: string;
  readonly reason?: string;
  readonly termination?: GameEnd["termination"];
}

export interface Standing {
  readonly name?: string;
  readonly games?: number;
  readonly wins?: number;
  readonly draws?: number;
  readonly losses?: number;
  readonly elo?: number | null;
}

export interface LiveState {
  readonly variant?: Variant;
  readonly over?: boolean;
  readonly games: readonly LiveGame[];
  readonly finished: readonly EndedGame[];
  readonly standings: readonly Standing[];
}

export const NOTHING_LIVE: LiveState = { games: [], finished: [], standings: [] };

/** Events of the stream. */
export const LIVE_EVENTS = ["state", "game", "move", "gone", "end", "standings", "over"] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** Maximum number of stored finished games. */
const REMEMBERED = 50;

function list<T>(data: unknown): readonly T[] {
  return Array.isArray(data) ? (data as T[]) : [];
}

/** Returns the engines of a JSON result, or of a list. */
function standings(data: unknown): readonly Standing[] {
  return list<Standing>(Array.isArray(data) ? data : (data as { engines?: unknown } | null)?.engines);
}

/** Returns the match after an event. */
export function follow(state: LiveState, event: LiveEvent, data: unknown): LiveState {
  const fields = (data ?? {}) as Record<string, unknown>;
  const isIt = (game: LiveGame) => game.number === fields["number"];
  const others = state.games.filter((game) => !isIt(game));
  switch (event) {
    case "state":
      return {
        ...(fields as Partial<LiveState>),
        games: list<LiveGame>(fields["games"]),
        finished: list<EndedGame>(fields["finished"]),
        standings: standings(fields["standings"]),
      };
    case "game":
      return {
        ...state,
        games: [...others, fields as LiveGame].sort((a, b) => (a.number ?? 0) - (b.number ?? 0)),
      };
    case "move": {
      const { ply, move, clocks, last } = fields as { ply?: number; move?: string } & LiveGame;
      const moved = (game: LiveGame): LiveGame => {
        // Counted from 1. A repeated ply replaces the known one.
        const moves = (game.moves ?? []).slice(0, ply === undefined ? undefined : Math.max(0, ply - 1));
        return {
          ...game,
          moves: move === undefined ? moves : [...moves, move],
          clocks: clocks ?? game.clocks ?? null,
          last: last ?? game.last ?? null,
        };
      };
      return { ...state, games: state.games.map((game) => (isIt(game) ? moved(game) : game)) };
    }
    case "gone":
      return { ...state, games: others };
    case "end":
      return {
        ...state,
        games: others,
        finished: [...state.finished, fields as EndedGame].slice(-REMEMBERED),
      };
    case "standings":
      return { ...state, standings: standings(data) };
    case "over":
      return { ...state, over: true, standings: standings(data) };
  }
}

import type { Side, Variant } from "millbrain";

/** A value for White and one for Black. */
export type Both<T> = Readonly<Record<Side, T>>;
export type Offer = "draw" | "takeback" | "rematch";
export const OFFERS: readonly Offer[] = ["draw", "takeback", "rematch"];

/** The terms of a game. */
export interface Terms {
  readonly variant: Variant;
  /** House rules, as in `Stones=7,Flying=false`. */
  readonly rules: string;
  /** In seconds, as in `300+3`; `null` for a correspondence game. */
  readonly clock: string | null;
}

/** A game without its moves. */
export interface Summary extends Terms {
  readonly game: string;
  readonly stage: "open" | "playing" | "over" | "aborted";
  /** `null` for a free seat. */
  readonly names: Both<string | null>;
  /** The number of moves. */
  readonly plies: number;
  /** The side to move. */
  readonly turn: Side;
  /** Milliseconds on both clocks when this was sent. */
  readonly clocks: Both<number> | null;
  readonly running: Side | null;
  /** Milliseconds until the game changes without an action. */
  readonly until: number;
  readonly offers: Readonly<Record<Offer, Side | null>>;
  /** Whether the players are connected. */
  readonly there: Both<boolean>;
  readonly result?: "1-0" | "0-1" | "1/2-1/2";
  /** ID of the ending. */
  readonly reason?: string;
  readonly termination?: "normal" | "resignation" | "agreement" | "adjudication" | "time forfeit";
  /** ID of the rematch. */
  readonly next: string | null;
  /** Number in the archive. */
  readonly record: number | null;
}

/** Lines of moves, each of the opponent's with the user's answer. */
export type Plan = readonly (readonly string[])[];

/** A game of the user. */
export interface OwnGame extends Summary {
  readonly side: Side;
  /** The prepared answers; none in older servers. */
  readonly plan?: Plan;
}

/** A game as sent to its followers. */
export interface GameState extends Summary {
  readonly moves: readonly string[];
  readonly spectators: number;
}

/** A request was refused. */
export interface Refused {
  readonly event: "refused";
  readonly code?: string;
  readonly values?: Readonly<Record<string, string | number>>;
  /** The game named in the request. */
  readonly game?: string | null;
  /** The message in English. */
  readonly error: string;
}

export type Event =
  | ({ readonly event: "state" } & GameState)
  | { readonly event: "seat"; readonly game: string; readonly side: Side | null }
  | { readonly event: "games"; readonly games: readonly OwnGame[] }
  | { readonly event: "lobby"; readonly games: readonly Summary[] }
  | { readonly event: "gone"; readonly game: string }
  | Refused
  | { readonly event: "pong" };

/** A request about a game; it may be repeated. */
export type Act =
  | { readonly do: "join"; readonly game: string; readonly name: string }
  | { readonly do: "move"; readonly game: string; readonly ply: number; readonly move: string }
  | { readonly do: "plan"; readonly game: string; readonly ply: number; readonly lines: Plan }
  | { readonly do: "offer" | "accept" | "decline"; readonly game: string; readonly what: Offer }
  | { readonly do: "resign" | "cancel"; readonly game: string };

export type Create = {
  readonly do: "create";
  readonly nonce: string;
  readonly name: string;
  readonly colour: Side | null;
  readonly listed: boolean;
} & Terms;

export type Request =
  | Act
  | Create
  | { readonly do: "hello"; readonly tokens: readonly string[] }
  | { readonly do: "follow"; readonly game: string | null }
  | { readonly do: "lobby"; readonly follow: boolean }
  | { readonly do: "ping" };

/** Delays between connection attempts in milliseconds; the last one repeats. */
const WAITS = [200, 500, 1000, 2000, 5000];
/** Interval of pings to the server, and the maximum silence. */
const PING_EVERY = 10_000;
const SILENCE = 25_000;

/** A connection that reconnects when lost, until it is closed. */
export class Line {
  #socket: WebSocket | undefined;
  #attempts = 0;
  #heard = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #pings = setInterval(() => this.#ping(), PING_EVERY);
  readonly #again = () => this.#connect();

  constructor(
    readonly onEvent: (event: Event) => void,
    /** Whether there is a connection now. */
    readonly onLine: (isThere: boolean) => void,
  ) {
    addEventListener("online", this.#again);
    this.#connect();
  }

  /** Sends a request; returns `false` without a connection. */
  send(request: Request): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(request));
    return true;
  }

  close(): void {
    removeEventListener("online", this.#again);
    clearInterval(this.#pings);
    this.#drop();
  }

  #ping(): void {
    if (performance.now() - this.#heard > SILENCE) this.#connect();
    else this.send({ do: "ping" });
  }

  /** Drops the old connection and its events. */
  #drop(): void {
    clearTimeout(this.#timer);
    const old = this.#socket;
    this.#socket = undefined;
    if (old) {
      old.onopen = old.onmessage = old.onclose = null;
      old.close();
      this.onLine(false);
    }
  }

  #connect(): void {
    this.#drop();
    const url = new URL("play", document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    url.hash = "";
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#heard = performance.now();
    socket.onopen = () => {
      this.#attempts = 0;
      this.onLine(true);
    };
    socket.onmessage = ({ data }) => {
      this.#heard = performance.now();
      this.onEvent(JSON.parse(String(data)) as Event);
    };
    socket.onclose = () => {
      this.#socket = undefined;
      this.onLine(false);
      const wait = WAITS[Math.min(this.#attempts++, WAITS.length - 1)];
      this.#timer = setTimeout(this.#again, wait);
    };
  }
}

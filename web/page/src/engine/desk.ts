import {
  type Analysis,
  Engine,
  EngineError,
  type Limits,
  type OptionValues,
  type Position,
  type Ruleset,
  webSocketTransport,
} from "millbrain";
import { assets } from "./assets.js";

/** Where searches are made. */
export interface Place {
  readonly at: "browser" | "server";
  readonly threads: number;
}

/** Where the server's engine listens, relative to the page. */
function serverAddress(): string {
  const url = new URL("engine", document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** Threads for a search in the browser: one is left for the page. Pages that are not isolated have no choice. */
function browserThreads(): number {
  return globalThis.crossOriginIsolated ? Math.min(8, Math.max(1, navigator.hardwareConcurrency - 1)) : 1;
}

/**
 * An engine that is started when it is first needed, and again after it has gone: a server may be stopped, a worker may
 * run out of memory, and the next question should still be answered.
 */
export class Desk {
  #engine: Promise<Engine> | undefined;
  #place: Place = { at: "browser", threads: 1 };
  readonly #options: OptionValues;

  /** Waits for the other desk, if that is starting: then it finds the files that both need in the cache. */
  constructor(
    options: OptionValues,
    readonly before?: Desk,
  ) {
    this.#options = options;
  }

  /** When a start that is under way is over; at once without one. */
  async settled(): Promise<void> {
    await this.#engine?.catch(() => {});
  }

  /** Forgets what was learned in the last game, if there is an engine that has learned something. */
  async newGame(): Promise<void> {
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.newGame().catch(() => {});
  }

  /** Moves to another place; a search in progress ends with an error. */
  move(place: Place): void {
    if (place.at === this.#place.at && place.threads === this.#place.threads) return;
    this.#place = place;
    this.drop();
  }

  drop(): void {
    const engine = this.#engine;
    this.#engine = undefined;
    void engine?.then(
      (gone) => gone.close(),
      () => {},
    );
  }

  engine(): Promise<Engine> {
    if (this.#engine === undefined) {
      const starting = this.#start();
      this.#engine = starting;
      starting.catch(() => {
        if (this.#engine === starting) this.#engine = undefined;
      });
    }
    return this.#engine;
  }

  async #start(): Promise<Engine> {
    await this.before?.settled();
    if (this.#place.at === "server") {
      try {
        return await this.#atServer();
      } catch {
        // A server that is gone is no reason not to play.
      }
    }
    const engine = await Engine.create({ assets, threads: browserThreads(), options: this.#options });
    const most = engine.options.find(({ name }) => name === "Threads")?.max ?? 1;
    if (most > 1) await engine.setOptions({ Threads: most });
    return engine;
  }

  async #atServer(): Promise<Engine> {
    const transport = await webSocketTransport(serverAddress());
    const engine = await Engine.create({ transport });
    // It may allow less than it has, or than we ask for; then it keeps what it began with.
    for (const [name, value] of Object.entries({ ...this.#options, Threads: this.#place.threads })) {
      await engine.setOptions({ [name]: value }).catch(() => {});
    }
    const starting = this.#engine;
    const tell = transport.onClose;
    // A connection may end between two questions; the next one makes a new one.
    transport.onClose = (reason) => {
      if (this.#engine === starting) this.#engine = undefined;
      tell(reason);
    };
    return engine;
  }

  /** A search; `undefined` if it was called off before it began. */
  async analyse(
    rules: Ruleset,
    position: Position,
    limits: Limits,
    { options, signal }: { options: OptionValues; signal: AbortSignal },
  ): Promise<Analysis | undefined> {
    const starting = this.engine();
    const engine = await starting;
    if (signal.aborted) return undefined;
    const analysis = engine.analyse(rules, position, limits, { options, signal });
    analysis.result.catch((error: unknown) => {
      // What the engine refuses it will refuse again; any other error means that it is gone.
      if (!(error instanceof EngineError) && this.#engine === starting) this.#engine = undefined;
    });
    return analysis;
  }
}

/** Plays, advises, and goes through finished games: one thing at a time, and each ends by itself. */
export const playing = new Desk({ Hash: 32 });
/** Looks at the position on the board as long as it is there: lines, tables, the evaluation bar. */
export const looking = new Desk({ Hash: 32, UCI_AnalyseMode: true }, playing);

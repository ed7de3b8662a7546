import {
  type BestMove,
  type Download,
  Engine,
  EngineGone,
  type EngineSettings,
  type Limits,
  type OptionValues,
  type Position,
  type Ruleset,
  webSocketTransport,
} from "millbrain";
import { assets, browserThreads } from "./assets.js";
import { pageKept } from "./offline.js";

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

/** Who hears of what happens to engines. */
export interface Listener {
  /** An engine has died; another one takes its place and is asked again. */
  onRestart(): void;
  /** A network, a table or a pack cannot be had, for this reason, and the engine does without it. */
  onMissing(file: string, why: string): void;
  /** A file comes for an engine in the browser. */
  onDownload(download: Download): void;
  /** A question has been answered. */
  onAnswer(rules: Ruleset): void;
}

/** So often in a row an engine may die over one question: what kills it may be the question. */
const MAX_DEATHS = 3;

/**
 * An engine that is started when it is first needed, and again after it has died: a server may be stopped, a worker may
 * run out of memory, and the question should still be answered.
 */
export class Desk {
  listener: Partial<Listener> = {};
  #engine: Promise<Engine> | undefined;
  #place: Place = { at: "browser", threads: 1 };
  readonly #options: OptionValues;

  /** An engine is started after what goes before it. */
  constructor(
    options: OptionValues,
    readonly before?: () => Promise<unknown>,
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

  /** Moves to another place; a search in progress begins anew there. */
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

  /** Starts the engine, if there is none, with what it needs for these rules. */
  engine(rules: Ruleset): Promise<Engine> {
    return this.#engine ?? this.#hold(this.#start(rules));
  }

  #hold(starting: Promise<Engine>): Promise<Engine> {
    this.#engine = starting;
    starting.catch(() => {
      if (this.#engine === starting) this.#engine = undefined;
    });
    return starting;
  }

  async #start(rules: Ruleset): Promise<Engine> {
    await this.before?.();
    const onNote = (note: string) => {
      const [, file, why] = /^(\S+) cannot be loaded \((.*)\), playing without it$/.exec(note) ?? [];
      if (file !== undefined && why !== undefined) this.listener.onMissing?.(file, why);
    };
    const onDownload = (download: Download) => this.listener.onDownload?.(download);
    const settings: EngineSettings = { rules, onNote, onDownload };
    if (this.#place.at === "server") {
      try {
        return await this.#atServer(settings);
      } catch {
        // A server that is gone is no reason not to play.
      }
    }
    const engine = await Engine.create({
      ...settings,
      assets,
      threads: browserThreads(),
      options: this.#options,
    });
    const most = engine.options.find(({ name }) => name === "Threads")?.max ?? 1;
    if (most > 1) await engine.setOptions({ Threads: most });
    return engine;
  }

  async #atServer(settings: EngineSettings): Promise<Engine> {
    const engine = await Engine.create({ ...settings, transport: () => webSocketTransport(serverAddress()) });
    // It may allow less than it has, or than we ask for; then it keeps what it began with.
    for (const [name, value] of Object.entries({ ...this.#options, Threads: this.#place.threads })) {
      await engine.setOptions({ [name]: value }).catch(() => {});
    }
    return engine;
  }

  /** The engine, alive: one that has died since the last question is started again. */
  async #living(rules: Ruleset): Promise<Engine> {
    const held = this.engine(rules);
    const engine = await held;
    if (!engine.isGone) return engine;
    if (this.#engine === held) {
      const again = engine.restart().then(
        () => engine,
        (error: unknown) => {
          // A server that does not come back is replaced as at the first start.
          if (this.#place.at === "server") return this.#start(rules);
          throw error;
        },
      );
      return this.#hold(again);
    }
    return this.engine(rules);
  }

  /**
   * Does something with the engine, and does it again with another one when the engine dies over it; `undefined` when it
   * has been called off meanwhile.
   * @throws {EngineError} what the engine refuses; {@link EngineGone} when it cannot be started, or dies again and again
   */
  async ask<T>(
    rules: Ruleset,
    signal: AbortSignal,
    work: (engine: Engine) => Promise<T>,
  ): Promise<T | undefined> {
    // What is called off at once starts no engine.
    await Promise.resolve();
    if (signal.aborted) return undefined;
    for (let deaths = 0; ;) {
      let engine: Engine | undefined;
      let held: Promise<Engine> | undefined;
      try {
        engine = await this.#living(rules);
        if (signal.aborted) return undefined;
        held = this.#engine;
        const answer = await work(engine);
        this.listener.onAnswer?.(rules);
        return answer;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof EngineGone)) throw error;
        // Dropped on purpose, such as for an engine elsewhere: that is no death.
        if (engine !== undefined && this.#engine !== held) continue;
        if (++deaths > MAX_DEATHS) throw error;
        if (engine !== undefined) this.listener.onRestart?.();
      }
    }
  }

  /** The answer to a search; `undefined` if it has been called off. */
  search(
    rules: Ruleset,
    position: Position,
    limits: Limits,
    { options, signal }: { options: OptionValues; signal: AbortSignal },
  ): Promise<BestMove | undefined> {
    return this.ask(
      rules,
      signal,
      (engine) => engine.analyse(rules, position, limits, { options, signal }).result,
    );
  }
}

/** Plays, advises, and goes through finished games: one thing at a time, and each ends by itself. */
export const playing = new Desk({ Hash: 32 });
/**
 * Looks at the position on the board as long as it is there: lines, tables, the evaluation bar. Somebody may wait for the
 * other desk, which goes first; and once the page is kept, the worker is there already.
 */
export const looking = new Desk({ Hash: 32, UCI_AnalyseMode: true }, async () => {
  await playing.settled();
  await pageKept();
});

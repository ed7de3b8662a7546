import {
  type BestMove,
  type Download,
  Engine,
  EngineGone,
  type EngineSettings,
  type Limits,
  type Message,
  type OptionValues,
  type Position,
  type Ruleset,
  type TableReading,
  webSocketTransport,
} from "millbrain";
import { assets, browserThreads } from "./assets.js";
import { FULL } from "../game/players.js";
import { pageKept } from "./offline.js";
import { rules } from "./rules.js";

/** Where searches run. */
export interface Place {
  readonly at: "browser" | "server";
  readonly threads: number;
}

/** Returns the address of the server's engine, relative to the page. */
function serverAddress(): string {
  const url = new URL("engine", document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** Callbacks for events of engines. */
export interface Listener {
  /** An engine has died; it is replaced, and the request repeated. */
  onRestart(): void;
  /** A network, table or pack is not available, for this reason, and the engine works without it. */
  onMissing(file: string, why: string | Message): void;
  /** A download for an engine in the browser. */
  onDownload(download: Download): void;
  /** Parts of a table on a host were read. */
  onReading(reading: TableReading): void;
  /** The engine has sent another message. */
  onNote(note: string): void;
  /** A request was answered. */
  onAnswer(rules: Ruleset): void;
}

/** Maximum consecutive deaths of engines over one request, which may be their cause. */
const MAX_DEATHS = 3;

/**
 * An engine started on first use, and restarted after its death: a server may be stopped, a worker may run out of
 * memory, and the request is still answered.
 */
export class EngineClient {
  listener: Partial<Listener> = {};
  /** Returns the address of the table for rules; empty without one. */
  tableFor: (rules: Ruleset) => Promise<string> = async () => "";
  /** The address that the engine has. */
  #table = "";
  #engine: Promise<Engine> | undefined;
  #place: Place = { at: "browser", threads: 1 };
  readonly #options: OptionValues;

  /** `before` runs before an engine starts. */
  constructor(
    options: OptionValues,
    readonly before?: () => Promise<unknown>,
  ) {
    this.#options = options;
  }

  /** Waits for the end of a start in progress, if any. */
  async settled(): Promise<void> {
    await this.#engine?.catch(() => {});
  }

  /** Clears what was learned in the last game, if there is an engine. */
  async newGame(): Promise<void> {
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.newGame().catch(() => {});
  }

  /** Moves to another place; a search in progress is restarted there. */
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

  /** Starts the engine, if there is none, with the files for these rules. */
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

  async #start(played: Ruleset): Promise<Engine> {
    await this.before?.();
    const onNote = (note: string, { id, values: { file, why } }: Message) => {
      if (id === "engine.without") this.listener.onMissing?.(file as string, why as string | Message);
      else this.listener.onNote?.(note);
    };
    const onDownload = (download: Download) => this.listener.onDownload?.(download);
    const onReading = (reading: TableReading) => this.listener.onReading?.(reading);
    const settings: EngineSettings = { rules: played, onNote, onDownload, onReading };
    this.#table = "";
    if (this.#place.at === "server") {
      try {
        return await this.#atServer(settings);
      } catch {
        // Without its server the engine runs here.
      }
    }
    const threads = browserThreads();
    // Fetched while the worker starts and compiles; it then finds its files.
    rules()
      .keep(played, { threads, tables: false, onDownload })
      .catch(() => {});
    const engine = await Engine.create({
      ...settings,
      assets,
      threads,
      options: this.#options,
    });
    const most = engine.options.find(({ name }) => name === "Threads")?.max ?? 1;
    if (most > 1) await engine.setOptions({ Threads: most });
    return engine;
  }

  async #atServer(settings: EngineSettings): Promise<Engine> {
    const engine = await Engine.create({ ...settings, transport: () => webSocketTransport(serverAddress()) });
    // It may allow less than it has, or than requested; then it keeps its initial values.
    for (const [name, value] of Object.entries({ ...this.#options, Threads: this.#place.threads })) {
      await engine.setOptions({ [name]: value }).catch(() => {});
    }
    return engine;
  }

  /** Gives the engine the table for rules, if it is in the browser. */
  async #setTable(engine: Engine, rules: Ruleset): Promise<void> {
    if (this.#place.at === "server") return;
    const address = await this.tableFor(rules);
    if (address === this.#table) return;
    try {
      await engine.setOptions({ TablebasePath: address });
    } catch (error) {
      if (error instanceof EngineGone) throw error;
      // A refusal is a note, too.
      await engine.setOptions({ TablebasePath: "" });
    }
    this.#table = address;
  }

  /** Returns a living engine: one that has died since the last request is restarted. */
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
   * Runs a task with the engine, and repeats it with another one if the engine dies; returns `undefined` if it was
   * cancelled. Without `tabled` it needs no table.
   * @throws {EngineError} a refusal of the engine; {@link EngineGone} when it cannot be started, or dies repeatedly
   */
  async ask<T>(
    rules: Ruleset,
    signal: AbortSignal,
    work: (engine: Engine) => Promise<T>,
    tabled = true,
  ): Promise<T | undefined> {
    // A task cancelled at once starts no engine.
    await Promise.resolve();
    if (signal.aborted) return undefined;
    // In parallel with the start of an engine: the answer of a host takes time.
    if (tabled && this.#place.at === "browser") void this.tableFor(rules);
    for (let deaths = 0; ;) {
      let engine: Engine | undefined;
      let held: Promise<Engine> | undefined;
      try {
        engine = await this.#living(rules);
        if (tabled) await this.#setTable(engine, rules);
        if (signal.aborted) return undefined;
        held = this.#engine;
        const answer = await work(engine);
        this.listener.onAnswer?.(rules);
        return answer;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof EngineGone)) throw error;
        // Dropped on purpose, such as for another place: not a death.
        if (engine !== undefined && this.#engine !== held) continue;
        if (++deaths > MAX_DEATHS) throw error;
        if (engine !== undefined) this.listener.onRestart?.();
      }
    }
  }

  /** Returns the result of a search; `undefined` if it was cancelled. */
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
      options["UCI_AnalyseMode"] === true || options["Skill Level"] === FULL,
    );
  }
}

/** Plays, gives hints, and reviews finished games: one task at a time, each of which ends by itself. */
export const playing = new EngineClient({ Hash: 32 });
/**
 * Analyses the position on the board while it is shown: lines, tables, the evaluation bar. The other desk has priority,
 * since the user may wait for it. After the page has been cached, the worker is available.
 */
export const looking = new EngineClient({ Hash: 32, UCI_AnalyseMode: true }, async () => {
  await playing.settled();
  await pageKept();
});

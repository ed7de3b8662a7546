import { checkedRules, checkedSettings, checkEnds, onlyKeys } from "./checks.js";
import { host } from "./host.js";
import { goLine, noteLine, oneLine, optionLines, positionLine, rulesLines } from "./protocol/lines.js";
import { parseLine, parseOption } from "./protocol/parse.js";
import {
  type BestMove,
  type Download,
  EngineError,
  EngineGone,
  type Limits,
  type Line,
  type Message,
  noteOf,
  type OnDownload,
  type OnReading,
  type Option,
  type OptionValues,
  type Position,
  type ProbedPosition,
  type Ruleset,
  type Transport,
} from "./types.js";

/** The settings of a new engine. */
export interface EngineSettings {
  /**
   * The transport to the engine, or a function that creates one for each start; by default a worker is started. An
   * engine with a single-use transport cannot be restarted.
   */
  readonly transport?: Transport | (() => Promise<Transport>);
  /** The address of the package's folder `data`, if it is not beside the code. */
  readonly assets?: string;
  /**
   * Maximum search threads; default 1. In a browser more than one requires a cross-origin isolated page. The option
   * `Threads` has the number in use, and its maximum.
   */
  readonly threads?: number;
  /** Initial options, such as `{ Hash: 64, Threads: 2 }`. */
  readonly options?: OptionValues;
  /** The rules of the first game, default `morris`: only their files are fetched at once. */
  readonly rules?: Ruleset;
  /**
   * Called with messages of the engine besides answers (`info string`). A file that cannot be loaded is data too:
   * `engine.without`, with the values `file` and `why`, a text or a message.
   */
  readonly onNote?: (note: string, message: Message) => void;
  /**
   * Called during downloads of the engine's files: its module, networks, tables, packs. In Node the files are local.
   */
  readonly onDownload?: OnDownload;
  /** Called when parts of compact tables on a host were read, the files that the option `TablebasePath` names. */
  readonly onReading?: OnReading;
}

/**
 * Milliseconds between pings to a worker that owes an answer, and the number of unanswered pings after which it counts
 * as dead. A worker that has not sent anything may still be loading.
 */
const HEARTBEAT = 1000;
const MISSES = 8;
const MISSES_AT_START = 60;

/** A search in progress: its lines as they arrive, and its result. */
export interface Analysis extends AsyncIterable<Line> {
  /** The result, available at the end of the lines, even if they are not read. */
  readonly result: Promise<BestMove>;
  /** Stops the search; returns its result. */
  stop(): Promise<BestMove>;
}

/** A stream of lines from a writer to a reader. */
class Stream implements AsyncIterable<Line> {
  readonly #lines: Line[] = [];
  #ended = false;
  #wake: () => void = () => {};

  put(line: Line): void {
    this.#lines.push(line);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Line> {
    for (let i = 0; ; i++) {
      while (i >= this.#lines.length) {
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      yield this.#lines[i] as Line;
    }
  }
}

/** An expected answer, in the order of the sent lines. */
interface Waiting {
  /** Handles a line; returns `true` for the last one. */
  take(line: string): boolean;
  fail(error: Error): void;
  /** Whether the engine may be busy without answering pings: a benchmark, or a count of positions. */
  readonly isPatient?: boolean;
}

/** The error of an engine that is gone, for this reason. */
function goneBy(reason: unknown): EngineGone {
  const { message, id, values } = noteOf(reason);
  return new EngineGone(message, id, values, { cause: reason });
}

const isNote = (line: string) => line.startsWith("info string ");
const noteText = (line: string) => line.slice("info string ".length);

/** An engine, in a worker or elsewhere. Searches requested during a search start after it. */
export class Engine {
  /** Name and version of the engine. */
  readonly name: string = "";
  /** The advertised options. */
  readonly options: readonly Option[] = [];
  /** Messages of the engine at its start, such as a missing file. */
  readonly notes: readonly string[] = [];
  readonly #settings: EngineSettings;
  readonly #waiting: Waiting[] = [];
  #transport: Transport | undefined;
  #gone: EngineGone | undefined;
  /** Downloads in progress. */
  readonly #coming = new Map<string, Download>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** The current options, for a restart. */
  #options: OptionValues;
  #ruleset: Ruleset | undefined;
  #rules = "";
  #last: Promise<unknown> = Promise.resolve();

  private constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#options = settings.options ?? {};
    this.#ruleset = settings.rules;
  }

  /**
   * Starts an engine and waits until it is ready.
   * @throws {EngineError} an invalid setting, or an option that it refuses
   * @throws {EngineGone} when it cannot be loaded
   */
  static async create(settings: EngineSettings = {}): Promise<Engine> {
    const engine = new Engine(checkedSettings(settings));
    await engine.#start();
    return engine;
  }

  /** Whether the engine has died or was closed. Then all requests fail with {@link EngineGone} until a restart. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /**
   * Restarts the engine with its current options; all other state is lost. Pending requests fail with {@link
   * EngineGone}; new requests wait.
   * @throws when it cannot be loaded
   */
  restart(): Promise<void> {
    this.#lose(new EngineGone("the engine has been restarted", "engine.gone"));
    const started = this.#start();
    this.#last = started.catch(() => {});
    return started;
  }

  async #start(): Promise<void> {
    const { transport: way, assets = host().assets, threads = 1 } = this.#settings;
    if (typeof way === "object" && this.#gone !== undefined) {
      throw new EngineGone("the engine cannot be restarted, expected a function that makes its transport");
    }
    try {
      this.#connect(typeof way === "function" ? await way() : (way ?? host().startWorker(assets, threads)));
      const lines = await this.#ask(["uci"], (line) => line === "uciok");
      const options = lines.flatMap((line) => parseOption(line) ?? []);
      const name = lines.find((line) => line.startsWith("id name "))?.slice("id name ".length) ?? "";
      const rules = this.#ruleset === undefined ? [] : rulesLines(this.#ruleset);
      const notes = await this.#demand([...rules, ...optionLines(this.#options)]);
      this.#rules = this.#ruleset === undefined ? "" : JSON.stringify(this.#ruleset);
      Object.assign(this, { name, options, notes });
    } catch (error) {
      const gone = error instanceof EngineGone ? error : goneBy(error);
      this.#lose(gone);
      throw error instanceof EngineError ? error : gone;
    }
  }

  #connect(transport: Transport): void {
    this.#gone = undefined;
    this.#rules = "";
    this.#transport = transport;
    const hear = (line: string, message: Message) => {
      if (this.#transport !== transport) return;
      if (isNote(line)) this.#settings.onNote?.(noteText(line), message);
      if (this.#waiting[0]?.take(line)) this.#waiting.shift();
    };
    transport.onLine = (line) => hear(line, { id: "", values: {} });
    transport.onNote = ({ message, id, values }) => hear(noteLine(message), { id, values });
    transport.onDownload = (download) => {
      if (this.#transport === transport) this.#tell(download);
    };
    transport.onReading = (reading) => {
      if (this.#transport === transport) this.#settings.onReading?.(reading);
    };
    transport.onClose = (reason) => {
      if (this.#transport === transport) this.#lose(goneBy(reason));
    };
    clearInterval(this.#heartbeat);
    this.#heartbeat = transport.ping && this.#listen(transport);
  }

  /** Checks that a worker that owes an answer is alive: one killed by the system sends nothing. */
  #listen(transport: Transport): ReturnType<typeof setInterval> {
    let [missed, most] = [0, MISSES_AT_START];
    return setInterval(() => {
      const [first] = this.#waiting;
      if (first === undefined || first.isPatient) {
        missed = 0;
        return;
      }
      // Counted rather than timed: a sleeping machine has not listened.
      if (missed++ >= most) this.#lose(new EngineGone("the engine does not answer any more", "engine.gone"));
      else transport.ping?.(() => ([missed, most] = [0, MISSES]));
    }, HEARTBEAT);
  }

  #tell(download: Download): void {
    if (download.isOver) this.#coming.delete(download.file);
    else this.#coming.set(download.file, download);
    this.#settings.onDownload?.(download);
  }

  /** Drops the transport; pending requests fail with the reason, and downloads end. */
  #lose(reason: EngineGone): void {
    const transport = this.#transport;
    this.#gone ??= reason;
    this.#transport = undefined;
    clearInterval(this.#heartbeat);
    transport?.close();
    for (const download of [...this.#coming.values()]) this.#tell({ ...download, isOver: true });
    for (const waiting of this.#waiting.splice(0)) waiting.fail(reason);
  }

  /** Sends lines, and collects the answers up to the last one. */
  #ask(lines: readonly string[], isLast: (line: string) => boolean, isPatient = false): Promise<string[]> {
    const answers: string[] = [];
    return new Promise((resolve, reject) => {
      this.#send(lines, {
        take: (line) => {
          answers.push(line);
          if (!isLast(line)) return false;
          resolve(answers);
          return true;
        },
        fail: reject,
        isPatient,
      });
    });
  }

  #send(lines: readonly string[], waiting: Waiting): void {
    const transport = this.#transport;
    if (transport === undefined) {
      waiting.fail(this.#gone ?? new EngineGone("the engine is not there", "engine.gone"));
      return;
    }
    this.#waiting.push(waiting);
    for (const line of lines) transport.send(line);
  }

  /** Runs tasks in sequence, so that answers match their requests. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Sends lines without answers unless they are refused; returns the other notes. */
  async #demand(lines: readonly string[]): Promise<string[]> {
    const answers = await this.#ask([...lines, "isready"], (line) => line === "readyok");
    const notes = answers.filter(isNote).map(noteText);
    const refusal = notes.find((note) => /^(setoption|position)( refused)?: /.test(note));
    if (refusal !== undefined) throw new EngineError(refusal);
    return notes;
  }

  /**
   * Sets options.
   * @throws {EngineError} when the engine refuses one
   */
  async setOptions(options: OptionValues): Promise<void> {
    const lines = optionLines(options);
    await this.#inTurn(async () => {
      if (lines.length > 0) await this.#demand(lines);
      this.#options = { ...this.#options, ...options };
    });
  }

  /** Clears what was learned in the last game. */
  newGame(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#demand(["ucinewgame"]);
    });
  }

  /**
   * Sends a command without a search, such as `eval` or `d`, about a position; returns the answer.
   * @throws {EngineError} when rules or position are refused
   */
  command(line: string, rules: Ruleset, position: Position = {}): Promise<string[]> {
    return this.#inTurn(async () => {
      await this.#setUp(rules, position);
      const answers = await this.#ask([oneLine(line), "isready"], (answer) => answer === "readyok", true);
      return answers.slice(0, -1);
    });
  }

  /**
   * Returns the value of a position and of its moves by tables; `null` for a position in no table. An aborted signal
   * ends the waiting for tables on hosts; then only what is known is returned.
   * @throws {EngineError} when rules or position are refused
   */
  probe(
    rules: Ruleset,
    position: Position = {},
    settings: { signal?: AbortSignal } = {},
  ): Promise<ProbedPosition | null> {
    const { signal } = settings;
    const stop = () => this.#transport?.send("stop");
    return this.#inTurn(async () => {
      onlyKeys("settings", settings, { signal: true });
      await this.#setUp(rules, position);
      if (signal?.aborted) return null;
      signal?.addEventListener("abort", stop);
      const answers = await this.#ask(["probe"], (answer) => /^(\{|info string .*probe)/.test(answer));
      const answer = answers.at(-1) as string;
      return isNote(answer) ? null : (JSON.parse(answer) as ProbedPosition);
    }).finally(() => signal?.removeEventListener("abort", stop));
  }

  async #setUp(rules: Ruleset, position: Position, options: OptionValues = {}): Promise<string[]> {
    const wanted = checkedRules(rules);
    const key = JSON.stringify(wanted);
    const changed = key === this.#rules ? [] : rulesLines(wanted);
    const lines = [...changed, positionLine(position), ...optionLines(options)];
    // After a refusal it is unknown which of these are set.
    if (changed.length > 0) this.#rules = "";
    const notes = await this.#demand(lines);
    this.#rules = key;
    this.#ruleset = wanted;
    this.#options = { ...this.#options, ...options };
    return notes;
  }

  /**
   * Searches a position. `options` are meant for this search, and remain set until another search changes them. An
   * aborted signal stops the search, which then returns its result so far. Without a limit it runs until then. With an
   * invalid argument the result and the end of the lines reject with an {@link EngineError}.
   */
  analyse(
    rules: Ruleset,
    position: Position,
    limits: Limits,
    settings: { options?: OptionValues; signal?: AbortSignal } = {},
  ): Analysis {
    const { options = {}, signal } = settings;
    const stream = new Stream();
    let state: "waiting" | "running" | "over" = "waiting";
    let stopped = false;
    const stop = () => {
      stopped = true;
      if (state === "running") this.#transport?.send("stop");
    };
    const result = this.#inTurn(async () => {
      onlyKeys("settings", settings, { options: true, signal: true });
      const go = goLine(limits);
      const notes = await this.#setUp(rules, position, options);
      state = "running";
      const answer = this.#search(go, stream, notes);
      if (stopped) this.#transport?.send("stop");
      return answer;
    }).finally(() => {
      state = "over";
      signal?.removeEventListener("abort", stop);
      stream.end();
    });
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    // A caller that reads only the lines gets the error at their end.
    result.catch(() => {});
    return {
      result,
      stop: () => {
        stop();
        return result;
      },
      [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
    };
  }

  /**
   * Searches a position and returns the result.
   * @throws {EngineError} an invalid argument, or limits that end no search
   */
  async bestMove(rules: Ruleset, position: Position, limits: Limits, options: OptionValues = {}): Promise<BestMove> {
    checkEnds(limits);
    return this.analyse(rules, position, limits, { options }).result;
  }

  #search(go: string, stream: Stream, notes: string[]): Promise<BestMove> {
    const best = new Map<number, Line>();
    return new Promise((resolve, reject) => {
      this.#send([go], {
        take: (text) => {
          if (isNote(text)) notes.push(noteText(text));
          const line = parseLine(text);
          if (line !== undefined) {
            best.set(line.multipv, line);
            stream.put(line);
          }
          const [word, move, , ponder] = text.split(" ");
          if (word !== "bestmove" || move === undefined) return false;
          const lines = [...best.values()].sort((a, b) => a.multipv - b.multipv);
          resolve({
            move: move === "(none)" ? null : move,
            ...(ponder === undefined ? {} : { ponder }),
            lines,
            notes,
          });
          return true;
        },
        fail: reject,
      });
    });
  }

  /** Ends the engine. */
  close(): void {
    this.#lose(new EngineGone("the engine has been closed", "engine.gone"));
  }
}

import { checkedRules, checkedSettings, checkEnds, onlyKeys } from "./checks.js";
import { host } from "./host.js";
import { goLine, oneLine, optionLines, positionLine, rulesLines } from "./lines.js";
import { parseLine, parseOption } from "./parse.js";
import {
  type BestMove,
  type Download,
  EngineError,
  EngineGone,
  type Limits,
  type Line,
  type OnDownload,
  type Option,
  type OptionValues,
  type Position,
  type Ruleset,
  type Transport,
} from "./types.js";

/** What an engine is made with. */
export interface EngineSettings {
  /**
   * The way to it, or what makes one, each time that the engine is started; otherwise it is started in a worker. An engine
   * with a way that is only there once cannot be restarted.
   */
  readonly transport?: Transport | (() => Promise<Transport>);
  /** The address of the package's folder `data`, if it is not beside the code. */
  readonly assets?: string;
  /**
   * Most search threads; 1 without it. A browser has more than one on pages that are isolated from other origins only.
   * The option `Threads` says how many are used, and how many there are.
   */
  readonly threads?: number;
  /** Options to begin with, such as `{ Hash: 64, Threads: 2 }`. */
  readonly options?: OptionValues;
  /** The rules of the first game: what they need is fetched at once, and nothing for others. `morris` without them. */
  readonly rules?: Ruleset;
  /** Called with what the engine says besides answers (`info string`), such as that a file is missing. */
  readonly onNote?: (note: string) => void;
  /** Called as files come that the engine asks for: its module, networks, tables, packs. In Node they are on the machine. */
  readonly onDownload?: OnDownload;
}

/**
 * Milliseconds between two questions to a worker that owes an answer, whether it is alive, and how many of them it may
 * leave unanswered before it is taken for dead. One that has not been heard of at all may still be on its way here.
 */
const HEARTBEAT = 1000;
const MISSES = 8;
const MISSES_AT_START = 60;

/** A search in progress: its lines as they come, and its answer. */
export interface Analysis extends AsyncIterable<Line> {
  /** The answer. It is there when the lines have come to an end, and also if nobody reads them. */
  readonly result: Promise<BestMove>;
  /** Ends the search; returns its answer. */
  stop(): Promise<BestMove>;
}

/** Lines that one side puts in and the other reads as they come. */
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

/** What an answer is waited for, in the order in which the lines were sent. */
interface Waiting {
  /** Takes a line; `true` when it was the last one. */
  take(line: string): boolean;
  fail(error: Error): void;
  /** Whether the engine may be busy without a sign of life: a benchmark, or a count of positions. */
  readonly isPatient?: boolean;
}

const isNote = (line: string) => line.startsWith("info string ");
const noteText = (line: string) => line.slice("info string ".length);

/** An engine, in a worker or elsewhere. Searches asked for while one runs begin when it has ended. */
export class Engine {
  /** Its name and version. */
  readonly name: string = "";
  /** The options it advertises. */
  readonly options: readonly Option[] = [];
  /** What it had to say when it was started, such as a file that is missing. */
  readonly notes: readonly string[] = [];
  readonly #settings: EngineSettings;
  readonly #waiting: Waiting[] = [];
  #transport: Transport | undefined;
  #gone: EngineGone | undefined;
  /** Files on their way. */
  readonly #coming = new Map<string, Download>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** The options in force, for an engine that takes the place of this one. */
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
   * Starts an engine, and waits until it is ready.
   * @throws {EngineError} a setting that is none, or an option that it refuses
   * @throws {EngineGone} when it cannot be loaded
   */
  static async create(settings: EngineSettings = {}): Promise<Engine> {
    const engine = new Engine(checkedSettings(settings));
    await engine.#start();
    return engine;
  }

  /** Whether it has died or has been closed. Then all questions are answered with {@link EngineGone}, until a restart. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /**
   * Starts the engine anew with the options that it has now; it has forgotten everything else. What is still unanswered
   * ends with {@link EngineGone}; what is asked from now on waits.
   * @throws when it cannot be loaded
   */
  restart(): Promise<void> {
    this.#lose(new EngineGone("the engine has been restarted"));
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
      const text = error instanceof Error ? error.message : String(error);
      const gone = error instanceof EngineGone ? error : new EngineGone(text, { cause: error });
      this.#lose(gone);
      throw error instanceof EngineError ? error : gone;
    }
  }

  #connect(transport: Transport): void {
    this.#gone = undefined;
    this.#rules = "";
    this.#transport = transport;
    transport.onLine = (line) => {
      if (this.#transport !== transport) return;
      if (isNote(line)) this.#settings.onNote?.(noteText(line));
      if (this.#waiting[0]?.take(line)) this.#waiting.shift();
    };
    transport.onDownload = (download) => {
      if (this.#transport === transport) this.#tell(download);
    };
    transport.onClose = (reason) => {
      if (this.#transport === transport) this.#lose(new EngineGone(reason.message, { cause: reason }));
    };
    clearInterval(this.#heartbeat);
    this.#heartbeat = transport.ping && this.#listen(transport);
  }

  /** Looks whether a worker that owes an answer is alive: one that the system has ended says nothing any more. */
  #listen(transport: Transport): ReturnType<typeof setInterval> {
    let [missed, most] = [0, MISSES_AT_START];
    return setInterval(() => {
      const [first] = this.#waiting;
      if (first === undefined || first.isPatient) {
        missed = 0;
        return;
      }
      // Counted rather than timed: a machine that has slept has not listened.
      if (missed++ >= most) this.#lose(new EngineGone("the engine does not answer any more"));
      else transport.ping?.(() => ([missed, most] = [0, MISSES]));
    }, HEARTBEAT);
  }

  #tell(download: Download): void {
    if (download.isOver) this.#coming.delete(download.file);
    else this.#coming.set(download.file, download);
    this.#settings.onDownload?.(download);
  }

  /** Lets go of the transport; whoever waits for an answer learns why there will be none, and of no file more will come. */
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
      waiting.fail(this.#gone ?? new EngineGone("the engine is not there"));
      return;
    }
    this.#waiting.push(waiting);
    for (const line of lines) transport.send(line);
  }

  /** Does one thing after the other, so that answers and questions belong together. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Sends lines that are only heard of if something is wrong with them; returns what the engine notes without refusing. */
  async #demand(lines: readonly string[]): Promise<string[]> {
    const answers = await this.#ask([...lines, "isready"], (line) => line === "readyok");
    const notes = answers.filter(isNote).map(noteText);
    const refusal = notes.find((note) => / refused: |: argument missing/.test(note));
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

  /** Forgets what was learned in the last game. */
  newGame(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#demand(["ucinewgame"]);
    });
  }

  /**
   * Sends a command that asks for no search, such as `eval` or `d`, about a position; returns the answer.
   * @throws {EngineError} when rules or position are refused
   */
  command(line: string, rules: Ruleset, position: Position = {}): Promise<string[]> {
    return this.#inTurn(async () => {
      await this.#setUp(rules, position);
      const answers = await this.#ask([oneLine(line), "isready"], (answer) => answer === "readyok", true);
      return answers.slice(0, -1);
    });
  }

  async #setUp(rules: Ruleset, position: Position, options: OptionValues = {}): Promise<string[]> {
    const wanted = checkedRules(rules);
    const key = JSON.stringify(wanted);
    const changed = key === this.#rules ? [] : rulesLines(wanted);
    const lines = [...changed, positionLine(position), ...optionLines(options)];
    // Should one of these be refused, nobody knows which of them hold.
    if (changed.length > 0) this.#rules = "";
    const notes = await this.#demand(lines);
    this.#rules = key;
    this.#ruleset = wanted;
    this.#options = { ...this.#options, ...options };
    return notes;
  }

  /**
   * Searches a position. `options` hold for this search only, except that they stay set until another search sets them.
   * A signal that aborts stops the search, which then answers with what it has found. Without a limit it runs until then.
   * The answer and the end of the lines wait for an {@link EngineError} where an argument is none.
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
    // Who reads only the lines learns of an error by their end.
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
   * Searches a position and returns the answer.
   * @throws {EngineError} an argument that is none, or limits that end no search
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
    this.#lose(new EngineGone("the engine has been closed"));
  }
}

import type { BareLayout, BareMove, BareSetup, BareState, BareVariant } from "./bare.js";
import { AssetError, EngineError, type GameFormat, type GamePiece, type GameText, type GamesText, NotationError, type Ruleset, wordsOf } from "./types.js";

/** The functions of the WebAssembly module; crates/wasm/src/abi.rs describes them. */
interface Exports {
  memory: WebAssembly.Memory;
  start(seed: number, threads: number): number;
  thread_memory(length: number): number;
  input(length: number): number;
  answer(): number;
  line(): void;
  run(): number;
  end_of_input(): void;
  is_finished(): number;
  missing(): number;
  install(): number;
  state(): number;
  variants(): number;
  layout(): number;
  parts(): number;
  compose(): number;
  read_games(): number;
  splitter(): number;
  split(splitter: number): number;
  split_end(splitter: number): number;
  write_game(): number;
  expected_points(score: number): number;
  marks(): number;
}

/** A refusal of the module. */
interface NotationFault {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
  readonly message: string;
}

/** What a module has in addition that can put its own stack aside (Binaryen's Asyncify). */
interface Asyncify {
  asyncify_get_state(): number;
  asyncify_start_unwind(area: number): void;
  asyncify_stop_unwind(): void;
  asyncify_start_rewind(area: number): void;
  asyncify_stop_rewind(): void;
}

/** JavaScript Promise Integration, where there is: the host suspends a module in the middle of a call. */
interface PromiseIntegration {
  Suspending?: new (call: (waiting: number) => Promise<void>) => WebAssembly.ImportValue;
  promising(call: () => number): () => Promise<number>;
}

const integration = WebAssembly as unknown as PromiseIntegration;

/** How lines reach a session while it searches on the only thread there is. */
export type Interruption =
  /** The host looks into its mailbox and hands over what is there; `waiting` when there is nothing else to do. */
  | { readonly poll: (waiting: boolean) => void }
  /** The module is suspended until the promise is kept. */
  | { readonly pause: (waiting: boolean) => Promise<void> };

/** Whether any module can be suspended here. */
function canSuspend(): boolean {
  return integration.Suspending !== undefined;
}

/**
 * Which module serves a worker of a browser: threads need shared memory, and any but the last has to be suspended from
 * outside.
 */
export function moduleFile(threads: number): string {
  if (!canSuspend()) return "millbrain-asyncify.wasm";
  return threads > 1 && globalThis.crossOriginIsolated ? "millbrain-threads.wasm" : "millbrain.wasm";
}

/** What a module with threads exports besides. */
interface ThreadExports extends Exports {
  thread(body: number): void;
  __stack_pointer: WebAssembly.Global<"i32">;
  __tls_size: WebAssembly.Global<"i32">;
  __tls_align: WebAssembly.Global<"i32">;
  __wasm_init_tls(at: number): void;
}

/** Where a new thread has its memory: the end of its stack, which grows down, and its variables. */
export interface ThreadMemory {
  readonly stack: number;
  readonly variables: number;
}

/** What the host of a module with threads adds. */
export interface Threads {
  /** Most search threads. */
  readonly count: number;
  /** What they share. */
  readonly memory: WebAssembly.Memory;
  /** Has a thread run a body: one that is idle, or a new one, for which memory is claimed. */
  spawn(body: number, claim: () => ThreadMemory): void;
}

/** Memory that threads share: what the module begins with, and at most a gigabyte. */
export function sharedMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 512, maximum: 16_384, shared: true });
}

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/**
 * Compiles a module at an address, once in each thread.
 * @throws {AssetError} it is not there, or is no module: then it is forgotten, if it was kept
 */
export function compile(
  url: string,
  read: (url: string) => Promise<Uint8Array<ArrayBuffer>>,
  forget: (url: string) => Promise<void> = async () => {},
): Promise<WebAssembly.Module> {
  let module = compiled.get(url);
  if (module === undefined) {
    module = read(url).then(async (bytes) => {
      try {
        return await WebAssembly.compile(bytes);
      } catch (cause) {
        await forget(url);
        throw new AssetError(url, true, wordsOf(cause), { cause });
      }
    });
    compiled.set(url, module);
    // A download that failed may be tried again.
    module.catch(() => compiled.delete(url));
  }
  return module;
}

const PAGE = 1 << 16;
/** Pages for the stack that a module puts aside, and for the two addresses before it. */
const AREA_PAGES = 16;
/** States of a module that puts its stack aside. */
const UNWINDING = 1;
const REWINDING = 2;

/** A session in a WebAssembly module. */
export class EngineModule {
  /** Called with each line of the engine. */
  onLine: (line: string) => void = () => {};
  #exports!: Exports;
  #run: () => number | Promise<number> = () => this.#exports.run();
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  #unfinished = "";

  private constructor() {}

  /** Starts a session. Without a way to interrupt it, a search can only be left alone to its end. */
  static async start(
    module: WebAssembly.Module,
    interruption?: Interruption,
    threads?: Threads,
  ): Promise<EngineModule> {
    const engine = new EngineModule();
    let pulse: WebAssembly.ImportValue = () => {};
    let pieces: Pieces | undefined;
    if (interruption !== undefined && "poll" in interruption) {
      pulse = (waiting: number) => interruption.poll(waiting !== 0);
    } else if (interruption !== undefined && integration.Suspending !== undefined) {
      pulse = new integration.Suspending((waiting) => interruption.pause(waiting !== 0));
    } else if (interruption !== undefined) {
      pieces = new Pieces(interruption.pause);
      pulse = pieces.pulse;
    }
    const host = {
      now: () => performance.now(),
      emit: (at: number, length: number) => engine.#emit(at, length),
      pulse,
      spawn: (body: number, stack: number) => {
        threads?.spawn(body, () => engine.#claimThreadMemory(stack));
        return Number(threads !== undefined);
      },
    };
    const env = threads === undefined ? {} : { memory: threads.memory };
    const { exports } = await WebAssembly.instantiate(module, { host, env });
    engine.#exports = { ...(exports as unknown as Exports), ...env };
    if (pieces !== undefined) {
      engine.#run = pieces.runner(exports as unknown as Exports & Asyncify);
    } else if (interruption !== undefined && "pause" in interruption) {
      engine.#run = integration.promising(engine.#exports.run);
    }
    if (engine.#exports.start(Math.random(), threads?.count ?? 1) === 0) throw new EngineError("no memory for the engine");
    return engine;
  }

  #claimThreadMemory(stack: number): ThreadMemory {
    const exports = this.#exports as ThreadExports;
    const [size, align] = [exports.__tls_size.value, exports.__tls_align.value];
    const end = exports.thread_memory(stack + align + size) + stack;
    return { stack: end, variables: Math.ceil(end / align) * align };
  }

  #bytes(at: number, length: number): Uint8Array {
    // The memory moves when it grows.
    return new Uint8Array(this.#exports.memory.buffer, at, length);
  }

  #emit(at: number, length: number): void {
    const text = this.#unfinished + this.#decoder.decode(this.#bytes(at, length).slice(), { stream: true });
    const lines = text.split("\n");
    this.#unfinished = lines.pop() as string;
    for (const line of lines) this.onLine(line);
  }

  #give(...parts: Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let at = this.#exports.input(length);
    for (const part of parts) {
      this.#bytes(at, part.length).set(part);
      at += part.length;
    }
  }

  #answer(length: number): string {
    // A copy: texts cannot be read from shared memory.
    return new TextDecoder().decode(this.#bytes(this.#exports.answer(), length).slice());
  }

  /** Hands over a line; also while a search is interrupted. */
  line(line: string): void {
    this.#give(this.#encoder.encode(line));
    this.#exports.line();
  }

  /** Runs the job that has been begun to its end; `false` if there is none. */
  async run(): Promise<boolean> {
    return (await this.#run()) !== 0;
  }

  /** No more lines will come. */
  endOfInput(): void {
    this.#exports.end_of_input();
  }

  /** Whether the session is over. */
  get isFinished(): boolean {
    return this.#exports.is_finished() !== 0;
  }

  /** The files that the rules in force ask for and that are not installed. */
  missing(): string[] {
    return this.#answer(this.#exports.missing())
      .split("\n")
      .filter((name) => name !== "");
  }

  /**
   * Installs a missing file.
   * @throws {EngineError} when the bytes are not that file
   */
  install(name: string, bytes: Uint8Array): void {
    this.#give(this.#encoder.encode(`${name}\n`), bytes);
    const fault = this.#answer(this.#exports.install());
    if (fault !== "") throw new EngineError(fault);
  }

  #json<T>(length: number): T {
    return JSON.parse(this.#answer(length)) as T;
  }

  /** What is on the board. */
  state(): BareState {
    return this.#json(this.#exports.state());
  }

  /** All variants. */
  variants(): BareVariant[] {
    return this.#json(this.#exports.variants());
  }

  /** The board of the rules in force. */
  layout(): BareLayout {
    return this.#json(this.#exports.layout());
  }

  /** A move of the rules in force taken apart; nothing for what is no move of theirs. */
  parts(text: string): BareMove | null {
    this.#give(this.#encoder.encode(text));
    return this.#json(this.#exports.parts());
  }

  /** The FEN of a setup, which may break the rules; empty for what is no setup. */
  compose(setup: BareSetup): string {
    this.#give(this.#encoder.encode(JSON.stringify(setup)));
    return this.#answer(this.#exports.compose());
  }

  /** @throws {NotationError} what the module has refused */
  #notation<T>(order: object, ask: () => number): T {
    this.#give(this.#encoder.encode(JSON.stringify(order)));
    const { ok, fault } = this.#json<{ ok?: T; fault?: NotationFault }>(ask());
    if (fault !== undefined) throw new NotationError(fault.message, fault.id, fault.values);
    return ok as T;
  }

  /**
   * The games of a text.
   * @throws {NotationError} for the first fault
   */
  readGames(text: string, rules: Ruleset): GamesText {
    return this.#notation({ text, ...rules }, () => this.#exports.read_games());
  }

  /** Takes a text of games apart, some of it at a time; each piece comes with the characters looked at so far. */
  *splitGames(text: string, part: number): Generator<GamePiece> {
    const splitter = this.#exports.splitter();
    const pieces = (length: number, end: number) => this.#json<Omit<GamePiece, "end">[]>(length).map((piece) => ({ ...piece, end }));
    let isOpen = true;
    try {
      for (let at = 0; at < text.length; ) {
        const begin = at;
        at = Math.min(at + part, text.length);
        // Both halves of a character stay together.
        if (/[\uD800-\uDBFF]/.test(text.charAt(at - 1))) at += 1;
        this.#give(this.#encoder.encode(text.slice(begin, at)));
        yield* pieces(this.#exports.split(splitter), Math.min(at, text.length));
      }
      isOpen = false;
      yield* pieces(this.#exports.split_end(splitter), text.length);
    } finally {
      if (isOpen) this.#exports.split_end(splitter);
    }
  }

  /**
   * The text of a game.
   * @throws {NotationError} for a game that the form has no place for
   */
  writeGame(game: GameText, format: GameFormat): string {
    return this.#notation({ game, format }, () => this.#exports.write_game());
  }

  /** Points to be expected, from 0 to 1, from a score in hundredths of a stone. */
  expectedPoints(score: number): number {
    return this.#exports.expected_points(score);
  }

  /** Losses of expected points from which moves are marked, the greatest first. */
  marks(): [number, string][] {
    const marks: [permille: number, mark: string][] = this.#json(this.#exports.marks());
    return marks.map(([permille, mark]) => [permille / 1000, mark]);
  }
}

/** Makes this worker a thread of a module; returns what runs a body. */
export async function becomeThread(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  own: ThreadMemory,
): Promise<(body: number) => void> {
  // Only the first thread talks.
  const host = { now: () => performance.now(), emit: () => {}, pulse: () => {}, spawn: () => 0 };
  const instance = await WebAssembly.instantiate(module, { host, env: { memory } });
  const exports = instance.exports as unknown as ThreadExports;
  // Until here the instance believes that the stack of the first thread is its own.
  exports.__stack_pointer.value = own.stack;
  exports.__wasm_init_tls(own.variables);
  return (body) => exports.thread(body);
}

/** Runs a job in pieces: the module puts its stack aside at each pulse, and takes it back when the pause is over. */
class Pieces {
  #exports!: Exports & Asyncify;
  #area = 0;
  #waiting = false;

  constructor(readonly pause: (waiting: boolean) => Promise<void>) {}

  /** What the module calls. */
  readonly pulse = (waiting: number): void => {
    if (this.#exports.asyncify_get_state() === REWINDING) {
      this.#exports.asyncify_stop_rewind();
      return;
    }
    this.#waiting = waiting !== 0;
    const ends = new Uint32Array(this.#exports.memory.buffer, this.#area, 2);
    ends[0] = this.#area + 8;
    ends[1] = this.#area + AREA_PAGES * PAGE;
    this.#exports.asyncify_start_unwind(this.#area);
  };

  /** Runs a job of this module. */
  runner(exports: Exports & Asyncify): () => Promise<number> {
    this.#exports = exports;
    this.#area = exports.memory.grow(AREA_PAGES) * PAGE;
    return async () => {
      let result = exports.run();
      while (exports.asyncify_get_state() === UNWINDING) {
        exports.asyncify_stop_unwind();
        await this.pause(this.#waiting);
        exports.asyncify_start_rewind(this.#area);
        result = exports.run();
      }
      return result;
    };
  }
}

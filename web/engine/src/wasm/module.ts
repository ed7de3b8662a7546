import { Bridge, type Buffers } from "./bridge.js";
import { integration } from "./suspend.js";
import { EngineError, type Note } from "../types.js";

/** The functions of the engine's module; crates/wasm/src/abi/engine.rs describes them. */
interface Exports extends Buffers {
  start(seed: number, threads: number): number;
  thread_memory(length: number): number;
  line(): void;
  run(): number;
  end_of_input(): void;
  is_finished(): number;
  missing(): number;
  install(): number;
  wanted(search: number): number;
  supply(): number;
  lack(): void;
  renew(): void;
  men(): number;
}

/** A range of bytes of a table on a host. */
export interface WantedRange {
  readonly address: string;
  readonly from: number;
  readonly length: number;
}

/** Additional functions of a module that can unwind its own stack (Binaryen's Asyncify). */
interface Asyncify {
  asyncify_get_state(): number;
  asyncify_start_unwind(area: number): void;
  asyncify_stop_unwind(): void;
  asyncify_start_rewind(area: number): void;
  asyncify_stop_rewind(): void;
}

/** How lines reach a session during a search on the only thread. */
export type Interruption =
  /** The host checks its mailbox and delivers the messages; `waiting` if there is nothing else to do. */
  | { readonly poll: (waiting: boolean) => void }
  /** The module is suspended until the promise resolves. */
  | { readonly pause: (waiting: boolean) => Promise<void> };

/** Additional exports of a module with threads. */
interface ThreadExports extends Exports {
  thread(body: number): void;
  __stack_pointer: WebAssembly.Global<"i32">;
  __tls_size: WebAssembly.Global<"i32">;
  __tls_align: WebAssembly.Global<"i32">;
  __wasm_init_tls(at: number): void;
}

/** Memory of a new thread: the end of its stack, which grows down, and its variables. */
export interface ThreadMemory {
  readonly stack: number;
  readonly variables: number;
}

/** Functions that the host of a module with threads adds. */
export interface Threads {
  /** Maximum search threads. */
  readonly count: number;
  /** Shared memory. */
  readonly memory: WebAssembly.Memory;
  /** Runs a body on an idle thread, or on a new one with claimed memory. */
  spawn(body: number, claim: () => ThreadMemory): void;
}

/** Creates the shared memory of threads: the module's initial memory, at most a gigabyte. */
export function sharedMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 512, maximum: 16_384, shared: true });
}

const PAGE = 1 << 16;
/** Pages for the unwound stack of a module, and for the two addresses before it. */
const AREA_PAGES = 16;
/** States of a module that unwinds its stack. */
const UNWINDING = 1;
const REWINDING = 2;

/** A session in a WebAssembly module. */
export class EngineModule {
  /** Called with each line of the engine. */
  onLine: (line: string) => void = () => {};
  /** Called with a note about each file that cannot be loaded. */
  onNote: (note: Note) => void = ({ message }) => this.onLine(`info string ${message}`);
  #exports!: Exports;
  #bridge!: Bridge;
  #run: () => number | Promise<number> = () => this.#exports.run();
  readonly #decoder = new TextDecoder();
  #unfinished = "";

  private constructor() {}

  /** Starts a session. Without an interruption, a search always runs to its end. */
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
    engine.#bridge = new Bridge(engine.#exports);
    if (pieces !== undefined) {
      engine.#run = pieces.runner(exports as unknown as Exports & Asyncify);
    } else if (interruption !== undefined && "pause" in interruption) {
      engine.#run = integration.promising(engine.#exports.run);
    }
    if (engine.#exports.start(Math.random(), threads?.count ?? 1) === 0) {
      throw new EngineError("no memory for the engine", "engine.memory");
    }
    return engine;
  }

  #claimThreadMemory(stack: number): ThreadMemory {
    const exports = this.#exports as ThreadExports;
    const [size, align] = [exports.__tls_size.value, exports.__tls_align.value];
    const end = exports.thread_memory(stack + align + size) + stack;
    return { stack: end, variables: Math.ceil(end / align) * align };
  }

  #emit(at: number, length: number): void {
    const text = this.#unfinished + this.#decoder.decode(this.#bridge.bytes(at, length).slice(), { stream: true });
    const lines = text.split("\n");
    this.#unfinished = lines.pop() as string;
    for (const line of lines) this.onLine(line);
  }

  /** Passes a line, possibly while a search is interrupted. */
  line(line: string): void {
    this.#bridge.give(line);
    this.#exports.line();
  }

  /** Runs the started job to its end; returns `false` if there is none. */
  async run(): Promise<boolean> {
    return (await this.#run()) !== 0;
  }

  /** Ends the input. */
  endOfInput(): void {
    this.#exports.end_of_input();
  }

  /** Whether the session is over. */
  get isFinished(): boolean {
    return this.#exports.is_finished() !== 0;
  }

  /** Returns the files that the current rules request and that are not installed. */
  missing(): string[] {
    return this.#bridge.lines(this.#exports.missing());
  }

  /**
   * Installs a missing file.
   * @throws {EngineError} when the bytes are not that file
   */
  install(name: string, bytes: Uint8Array): void {
    this.#bridge.give(`${name}\n`, bytes);
    const fault = this.#bridge.answer(this.#exports.install());
    if (fault !== "") throw new EngineError(fault);
  }

  /**
   * Returns the ranges of tables on hosts that a search or a probe of the current position needs; more may be needed
   * when these have been supplied.
   */
  wanted(isSearch: boolean): WantedRange[] {
    return this.#bridge.lines(this.#exports.wanted(Number(isSearch))).map((line) => {
      const [, from, length, address] = /^(\d+) (\d+) (.*)$/.exec(line) as unknown as [string, string, string, string];
      return { address, from: Number(from), length: Number(length) };
    });
  }

  /** Passes bytes of a table from an offset on; `total` is its length. Returns a fault, or an empty text. */
  supply(address: string, from: number, total: number, bytes: Uint8Array): string {
    this.#bridge.give(`${from} ${total} ${address}\n`, bytes);
    return this.#bridge.answer(this.#exports.supply());
  }

  /** Reports why a table cannot be read now: the engine goes on without it, and wants it again after a while. */
  lack(address: string, reason: string): void {
    this.#bridge.give(`${address}\n${reason}`);
    this.#exports.lack();
  }

  /** Reports that the host has another version of a table: the engine drops all parts of it. */
  renew(address: string): void {
    this.#bridge.give(address);
    this.#exports.renew();
  }

  /** Returns the number of pieces on the board and in hand. */
  men(): number {
    return this.#exports.men();
  }
}

/** Makes this worker a thread of a module; returns the function that runs a body. */
export async function becomeThread(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  own: ThreadMemory,
): Promise<(body: number) => void> {
  // Only the first thread communicates.
  const host = { now: () => performance.now(), emit: () => {}, pulse: () => {}, spawn: () => 0 };
  const instance = await WebAssembly.instantiate(module, { host, env: { memory } });
  const exports = instance.exports as unknown as ThreadExports;
  // Until here the instance uses the stack of the first thread.
  exports.__stack_pointer.value = own.stack;
  exports.__wasm_init_tls(own.variables);
  return (body) => exports.thread(body);
}

/** Runs a job in pieces: the module unwinds its stack at each pulse, and rewinds it after the pause. */
class Pieces {
  #exports!: Exports & Asyncify;
  #area = 0;
  #waiting = false;

  constructor(readonly pause: (waiting: boolean) => Promise<void>) {}

  /** Called by the module. */
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

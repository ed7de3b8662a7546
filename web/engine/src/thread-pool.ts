import type { ThreadMemory, Threads } from "./wasm/module.js";

/** The first message to a thread. */
export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly own: ThreadMemory;
}

/** A message from a thread: it has started, or it has run a body. */
export type ThreadWord = "ready" | "idle";

/** A worker that serves as a thread. */
export interface ThreadWorker {
  post(message: ThreadStart | number): void;
  terminate(): void;
}

/** The threads of a module: workers that are reused when idle. */
export class ThreadPool implements Threads {
  readonly #module: WebAssembly.Module;
  readonly #start: (heard: (word: ThreadWord) => void) => ThreadWorker;
  readonly #all: ThreadWorker[] = [];
  readonly #idle: ThreadWorker[] = [];
  #starting: Promise<void>[] = [];

  constructor(
    readonly count: number,
    readonly memory: WebAssembly.Memory,
    module: WebAssembly.Module,
    start: (heard: (word: ThreadWord) => void) => ThreadWorker,
  ) {
    this.#module = module;
    this.#start = start;
  }

  spawn(body: number, claim: () => ThreadMemory): void {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      idle.post(body);
      return;
    }
    this.#starting.push(
      new Promise((ready) => {
        const worker = this.#start((word) => (word === "ready" ? ready() : this.#idle.push(worker)));
        this.#all.push(worker);
        worker.post({ module: this.#module, memory: this.memory, own: claim() });
        worker.post(body);
      }),
    );
  }

  /** Waits until all requested threads have started, which a search would prevent. */
  async ready(): Promise<void> {
    await Promise.all(this.#starting);
    this.#starting = [];
  }

  /** Ends all threads. */
  terminate(): void {
    for (const worker of this.#all) worker.terminate();
  }
}

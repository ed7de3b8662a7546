import { drive, Mailbox } from "./driver.js";
import { canSuspend, compile, EngineModule, type Interruption, sharedMemory } from "./module.js";
import { Crew } from "./crew.js";
import { readAsset } from "./host-browser.js";

/** The names of this thread that are not in the types of a page. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<string | WorkerStart>) => void) | null;
  postMessage(line: string): void;
  close(): void;
};

/** What the worker is told first. */
interface WorkerStart {
  readonly assets: string;
  /** Most search threads. */
  readonly threads?: number;
}

const mailbox = new Mailbox();

/** Which module serves here: threads need shared memory, and any but the last has to be suspended from outside. */
function moduleFile(threads: number): string {
  if (!canSuspend()) return "millbrain-asyncify.wasm";
  return threads > 1 && globalThis.crossOriginIsolated ? "millbrain-threads.wasm" : "millbrain.wasm";
}

function crew(count: number, module: WebAssembly.Module): Crew {
  return new Crew(count, sharedMemory(), module, (heard) => {
    const worker = new Worker(new URL("./thread.js", import.meta.url), { type: "module", name: "millbrain-thread" });
    worker.onmessage = ({ data }) => heard(data);
    return { post: (message) => worker.postMessage(message), terminate: () => worker.terminate() };
  });
}

/** Lets the messages in that wait at the door. A timer would sleep for milliseconds. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

async function serve({ assets, threads = 1 }: WorkerStart): Promise<void> {
  const file = moduleFile(threads);
  const module = await compile(new URL(file, assets).href, readAsset);
  const helpers = file === "millbrain-threads.wasm" ? crew(threads, module) : undefined;
  const interruption: Interruption = {
    pause: async (waiting) => {
      await (waiting ? mailbox.filled() : breathe());
      mailbox.deliver(engine);
    },
  };
  const engine = await EngineModule.start(module, interruption, helpers);
  engine.onLine = (line) => scope.postMessage(line);
  await drive(engine, mailbox, (name) => readAsset(new URL(name, assets).href), () => helpers?.ready());
  helpers?.terminate();
  scope.close();
}

scope.onmessage = ({ data }) => {
  if (typeof data === "string") {
    mailbox.put(data);
    return;
  }
  // An error here reaches the page as one of the worker.
  serve(data).catch((error: unknown) =>
    setTimeout(() => {
      throw error;
    }),
  );
};

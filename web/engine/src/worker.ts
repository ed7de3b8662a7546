import { drive, Mailbox } from "./driver.js";
import { compile } from "./wasm/bridge.js";
import { EngineModule, type Interruption, sharedMemory } from "./wasm/module.js";
import { moduleFile } from "./wasm/suspend.js";
import { ThreadPool } from "./thread-pool.js";
import { addressOf, forget, isKept, readAsset } from "./host-browser.js";
import { type Download, noteOf, type TableReading } from "./types.js";
import { type DownloadWord, PING, type WorkerStart, type Word } from "./worker-transport.js";

/** The globals of this thread that are not in a page's types. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<string | typeof PING | WorkerStart>) => void) | null;
  postMessage(message: Word | typeof PING | DownloadWord): void;
  close(): void;
};

const mailbox = new Mailbox();

function threadPool(count: number, module: WebAssembly.Module): ThreadPool {
  return new ThreadPool(count, sharedMemory(), module, (heard) => {
    const worker = new Worker(new URL("./thread.js", import.meta.url), { type: "module", name: "millbrain-thread" });
    worker.onmessage = ({ data }) => heard(data);
    return { post: (message) => worker.postMessage(message), terminate: () => worker.terminate() };
  });
}

/** Lets waiting messages arrive. A timer would sleep for milliseconds. */
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

async function serve({ assets, threads = 1, downloads = false }: WorkerStart): Promise<void> {
  const onDownload = downloads ? (download: Download) => scope.postMessage({ download }) : undefined;
  const read = (url: string) => readAsset(url, onDownload);
  const file = moduleFile(threads);
  const module = await compile(new URL(file, assets).href, read, forget);
  const helpers = file === "millbrain-threads.wasm" ? threadPool(threads, module) : undefined;
  const interruption: Interruption = {
    pause: async (waiting) => {
      await (waiting ? mailbox.filled() : breathe());
      mailbox.deliver(engine);
    },
  };
  const engine = await EngineModule.start(module, interruption, helpers);
  engine.onLine = (line) => scope.postMessage(line);
  engine.onNote = (note) => scope.postMessage({ note });
  const address = (name: string) => addressOf(name, assets);
  const files = {
    address,
    read: (name: string) => read(address(name)),
    forget: (name: string) => forget(address(name)),
    isNear: (name: string) => isKept(address(name)),
    onReading: downloads ? (reading: TableReading) => scope.postMessage({ reading }) : undefined,
  };
  await drive(engine, mailbox, files, () => helpers?.ready());
  helpers?.terminate();
  scope.close();
}

scope.onmessage = ({ data }) => {
  if (typeof data === "string") {
    mailbox.put(data);
    return;
  }
  if ("ping" in data) {
    scope.postMessage(PING);
    return;
  }
  serve(data).catch((error: unknown) => scope.postMessage({ fault: noteOf(error) }));
};

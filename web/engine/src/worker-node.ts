import { type MessagePort, receiveMessageOnPort, Worker, workerData } from "node:worker_threads";
import { ThreadPool } from "./thread-pool.js";
import { drive, Mailbox, type Message } from "./driver.js";
import { compile } from "./wasm/bridge.js";
import { EngineModule, type Interruption, sharedMemory } from "./wasm/module.js";
import { addressOf, readAsset } from "./host-node.js";
import { noteOf, type TableReading } from "./types.js";
import type { Word } from "./worker-transport.js";

const { assets, threads, port } = workerData as { assets: string; threads: number; port: MessagePort };
const mailbox = new Mailbox();
const bell = new Int32Array(new SharedArrayBuffer(4));
/** Milliseconds between two checks of the mailbox while idle. */
const NAP = 5;

// During a search the engine polls for messages; between jobs they arrive as events.
port.on("message", (message: Message) => mailbox.put(message));

function threadPool(module: WebAssembly.Module): ThreadPool {
  return new ThreadPool(threads, sharedMemory(), module, (heard) => {
    const worker = new Worker(new URL("./thread-node.js", import.meta.url));
    worker.on("message", heard);
    return { post: (message) => worker.postMessage(message), terminate: () => void worker.terminate() };
  });
}

async function serve(): Promise<void> {
  const file = threads > 1 ? "millbrain-threads.wasm" : "millbrain.wasm";
  const module = await compile(new URL(file, assets).href, readAsset);
  const helpers = threads > 1 ? threadPool(module) : undefined;
  const interruption: Interruption = {
    poll: (waiting) => {
      for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port))
        mailbox.put(got.message as Message);
      if (!mailbox.deliver(engine) && waiting) Atomics.wait(bell, 0, 0, NAP);
    },
  };
  const engine = await EngineModule.start(module, interruption, helpers);
  engine.onLine = (line) => port.postMessage(line);
  engine.onNote = (note) => port.postMessage({ note } satisfies Word);
  const address = (name: string) => addressOf(name, assets);
  const files = {
    address,
    read: (name: string) => readAsset(address(name)),
    isNear: async () => true,
    onReading: (reading: TableReading) => port.postMessage({ reading } satisfies Word),
  };
  await drive(engine, mailbox, files, () => helpers?.ready());
  helpers?.terminate();
}

try {
  await serve();
} catch (error) {
  port.postMessage({ fault: noteOf(error) } satisfies Word);
} finally {
  port.close();
}

import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { deliver, drive, Mailbox, type Message } from "./driver.js";
import { compile, EngineModule } from "./module.js";
import { readAsset } from "./host-node.js";

const { assets, port } = workerData as { assets: string; port: MessagePort };
const mailbox = new Mailbox();
const bell = new Int32Array(new SharedArrayBuffer(4));
/** Milliseconds between two looks into the mailbox while there is nothing else to do. */
const NAP = 5;

// While it searches, the engine looks for messages by itself; between jobs they come as events.
port.on("message", (message: Message) => mailbox.put(message));

const engine = await EngineModule.start(await compile(new URL("millbrain.wasm", assets).href, readAsset), {
  poll: (waiting) => {
    let heard = mailbox.deliver(engine);
    for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
      deliver(engine, got.message as Message);
      heard = true;
    }
    if (waiting && !heard) Atomics.wait(bell, 0, 0, NAP);
  },
});
engine.onLine = (line) => port.postMessage(line);
await drive(engine, mailbox, (name) => readAsset(new URL(name, assets).href));
port.close();

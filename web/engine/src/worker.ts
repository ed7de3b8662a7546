import { drive, Mailbox } from "./driver.js";
import { compile, EngineModule, suspendableFile } from "./module.js";
import { readAsset } from "./host-browser.js";

/** The names of this thread that are not in the types of a page. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<string | { assets: string }>) => void) | null;
  postMessage(line: string): void;
  close(): void;
};

const mailbox = new Mailbox();

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

async function serve(assets: string): Promise<void> {
  const module = await compile(new URL(suspendableFile(), assets).href, readAsset);
  const engine = await EngineModule.start(module, {
    pause: async (waiting) => {
      await (waiting ? mailbox.filled() : breathe());
      mailbox.deliver(engine);
    },
  });
  engine.onLine = (line) => scope.postMessage(line);
  await drive(engine, mailbox, (name) => readAsset(new URL(name, assets).href));
  scope.close();
}

scope.onmessage = ({ data }) => {
  if (typeof data === "string") {
    mailbox.put(data);
    return;
  }
  // An error here reaches the page as one of the worker.
  serve(data.assets).catch((error: unknown) =>
    setTimeout(() => {
      throw error;
    }),
  );
};

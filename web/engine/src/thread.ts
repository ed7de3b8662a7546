import type { ThreadStart, ThreadWord } from "./thread-pool.js";
import { becomeThread } from "./wasm/module.js";

/** The globals of this thread that are not in a page's types. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ThreadStart | number>) => void) | null;
  postMessage(word: ThreadWord): void;
};

let started: Promise<(body: number) => void> | undefined;

scope.onmessage = async ({ data }) => {
  if (typeof data !== "number") {
    started = becomeThread(data.module, data.memory, data.own);
    await started;
    scope.postMessage("ready");
    return;
  }
  (await started)?.(data);
  scope.postMessage("idle");
};

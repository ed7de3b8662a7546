import { parentPort } from "node:worker_threads";
import type { ThreadStart, ThreadWord } from "./thread-pool.js";
import { becomeThread } from "./wasm/module.js";

let started: Promise<(body: number) => void> | undefined;
const say = (word: ThreadWord) => parentPort?.postMessage(word);

parentPort?.on("message", async (message: ThreadStart | number) => {
  if (typeof message !== "number") {
    started = becomeThread(message.module, message.memory, message.own);
    await started;
    say("ready");
    return;
  }
  (await started)?.(message);
  say("idle");
});

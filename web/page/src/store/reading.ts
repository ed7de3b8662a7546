import type { Ruleset } from "millbrain";
import { assets } from "../engine/assets.js";
import type { BadGame } from "./read.js";
import type { ListedGame } from "./stored.js";

/** What a worker is asked to read: lists of moves by these rules. */
export interface Question {
  readonly text: string;
  readonly like: Ruleset;
  /** Where the engine is. */
  readonly assets: string;
}

/** What has been read and kept. */
export interface Reading {
  readonly games: number;
  readonly first: ListedGame | undefined;
  readonly bad: number;
  readonly firstBad: BadGame | undefined;
  /** Why the games could not be kept. */
  readonly unkept: string | undefined;
}

/** How far it is, what has come of it, or why it ended. */
export type Answer = { readonly share: number } | Reading | { readonly failed: string };

/**
 * Reads the games of a text in a worker, which keeps them among those of this device: all of them or none.
 * @throws the signal's reason; and where there is no worker
 */
export function readAside(
  text: string,
  like: Ruleset,
  signal: AbortSignal,
  progress: (share: number) => void,
): Promise<Reading> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL("./read.worker.ts", import.meta.url), { type: "module" });
    const end = (settle: () => void) => {
      worker.terminate();
      settle();
    };
    signal.addEventListener("abort", () => end(() => reject(signal.reason as Error)));
    worker.onerror = (event) =>
      end(() => reject(new Error(event.message || "the worker could not be started")));
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ("share" in data) progress(data.share);
      else if ("failed" in data) end(() => reject(new Error(data.failed)));
      else end(() => resolve(data));
    };
    worker.postMessage({ text, like, assets } satisfies Question);
  });
}

import type { Ruleset } from "millbrain";
import { assets } from "../../engine/assets.js";
import type { BadGame } from "./read.js";
import type { ListedGame } from "./stored.js";

/** A request to a worker to read games; lists of moves use these rules. */
export interface Question {
  readonly text: string;
  readonly like: Ruleset;
  /** Address of the engine. */
  readonly assets: string;
}

/** The result of reading and storing. */
export interface Reading {
  readonly games: number;
  readonly first: ListedGame | undefined;
  readonly bad: number;
  readonly firstBad: BadGame | undefined;
  /** Why the games could not be stored. */
  readonly unkept: string | undefined;
}

/** The progress, the result, or the error. */
export type Answer = { readonly share: number } | Reading | { readonly failed: string };

/**
 * Reads the games of a text in a worker, which stores them among those of this device, all or none.
 * @throws the signal's reason, or an error without a worker
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

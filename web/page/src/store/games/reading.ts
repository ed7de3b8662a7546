import { EngineError, EngineGone, type Note, type Ruleset } from "millbrain";
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
  readonly unkept: Note | undefined;
}

/** The progress, the result, or the error. */
export type Answer = { readonly share: number } | Reading | { readonly failed: Note };

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
      end(() =>
        reject(
          event.message
            ? new Error(event.message)
            : new EngineGone("the worker could not be started", "engine.start"),
        ),
      );
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ("share" in data) progress(data.share);
      else if ("failed" in data)
        end(() => reject(new EngineError(data.failed.message, data.failed.id, data.failed.values)));
      else end(() => resolve(data));
    };
    worker.postMessage({ text, like, assets } satisfies Question);
  });
}

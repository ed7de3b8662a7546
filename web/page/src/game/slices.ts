/** Maximum milliseconds of work before the page gets its turn: less than a frame. */
const SLICE = 10;

/** Yields to the page, with priority for input if the browser supports it. */
export function turn(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  return scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
}

/** The timing of the work; tests use other clocks. */
export interface Pace {
  readonly now: () => number;
  readonly turn: () => Promise<void>;
}

/**
 * Processes items in slices of a few milliseconds, between which the page runs. Items are never split. They may be
 * generated lazily, as part of the work.
 * @throws the signal's reason, before the next item, once it is aborted
 */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  signal?: AbortSignal,
  pace: Pace = { now: () => performance.now(), turn },
): Promise<void> {
  let began = pace.now();
  for (const item of items) {
    signal?.throwIfAborted();
    work(item);
    if (pace.now() - began < SLICE) continue;
    await pace.turn();
    began = pace.now();
  }
  signal?.throwIfAborted();
}

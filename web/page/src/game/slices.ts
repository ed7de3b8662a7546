/** So long, in milliseconds, work may go on before the page has its turn: less than a frame. */
const SLICE = 10;

/** Gives way to the page: to input first, where the browser can. */
function turn(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  return scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
}

/** What the work goes by: other clocks are for tests. */
export interface Pace {
  readonly now: () => number;
  readonly turn: () => Promise<void>;
}

/**
 * Does work on one item after the other in slices of a few milliseconds; between them the page goes on. One item is
 * never parted. The items may be made as they are asked for: that is part of the work.
 * @throws the signal's reason, before the next item, once it is aborted
 */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  signal: AbortSignal,
  pace: Pace = { now: () => performance.now(), turn },
): Promise<void> {
  let began = pace.now();
  for (const item of items) {
    signal.throwIfAborted();
    work(item);
    if (pace.now() - began < SLICE) continue;
    await pace.turn();
    began = pace.now();
  }
  signal.throwIfAborted();
}

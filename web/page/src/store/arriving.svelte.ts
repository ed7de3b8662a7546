import type { Download } from "millbrain";

/** What of the engine is on its way: a file that a reply waits for, and a carry pack. */
export const arriving = $state<{ engine?: Download | undefined; pack?: Download | undefined }>({});

export const isPack = (file: string): boolean => file.endsWith(".pack");

/** What a search cannot begin without. */
const AWAITED = /\.(wasm|net)$/;

/** Takes what is told of a file; `isAwaited` when it is for the engine that plays. */
export function arrives(download: Download, isAwaited = false): void {
  const now = download.isOver ? undefined : download;
  if (isPack(download.file)) arriving.pack = now;
  else if (isAwaited && AWAITED.test(download.file)) arriving.engine = now;
}

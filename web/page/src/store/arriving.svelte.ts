import type { Download } from "millbrain";

/** Downloads of the engine: a file that a reply waits for, and a carry pack. */
export const arriving = $state<{ engine?: Download | undefined; pack?: Download | undefined }>({});

export const isPack = (file: string): boolean => file.endsWith(".pack");

/** Files without which a search cannot start. */
const AWAITED = /\.(wasm|net)$/;

/** Records the progress of a download; `isAwaited` for the playing engine. */
export function arrives(download: Download, isAwaited = false): void {
  const now = download.isOver ? undefined : download;
  if (isPack(download.file)) arriving.pack = now;
  else if (isAwaited && AWAITED.test(download.file)) arriving.engine = now;
}

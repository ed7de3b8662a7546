/** Where the engine's files are: beside the page, wherever that is. */
export const assets = new URL("engine/", document.baseURI).href;

/** Threads for a search in the browser: one is left for the page. Pages that are not isolated have no choice. */
export function browserThreads(): number {
  return globalThis.crossOriginIsolated ? Math.min(8, Math.max(1, navigator.hardwareConcurrency - 1)) : 1;
}

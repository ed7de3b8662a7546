/** Address of the engine's files, beside the page. */
export const assets = new URL("engine/", document.baseURI).href;

/**
 * Returns the threads for a search in the browser: one is left for the page. Pages that are not isolated have only one.
 */
export function browserThreads(): number {
  return globalThis.crossOriginIsolated ? Math.min(8, Math.max(1, navigator.hardwareConcurrency - 1)) : 1;
}

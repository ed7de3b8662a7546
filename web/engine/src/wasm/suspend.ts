/** JavaScript Promise Integration, if available: the host suspends a module in the middle of a call. */
interface PromiseIntegration {
  Suspending?: new (call: (waiting: number) => Promise<void>) => WebAssembly.ImportValue;
  promising(call: () => number): () => Promise<number>;
}

export const integration = WebAssembly as unknown as PromiseIntegration;

/** Whether modules can be suspended here. */
function canSuspend(): boolean {
  return integration.Suspending !== undefined;
}

/**
 * Chooses the module for a browser's worker: threads need shared memory, and every module except the last must be
 * suspended from outside.
 */
export function moduleFile(threads: number): string {
  if (!canSuspend()) return "millbrain-asyncify.wasm";
  return threads > 1 && globalThis.crossOriginIsolated ? "millbrain-threads.wasm" : "millbrain.wasm";
}


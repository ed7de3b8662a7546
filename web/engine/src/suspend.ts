/** JavaScript Promise Integration, where there is: the host suspends a module in the middle of a call. */
interface PromiseIntegration {
  Suspending?: new (call: (waiting: number) => Promise<void>) => WebAssembly.ImportValue;
  promising(call: () => number): () => Promise<number>;
}

export const integration = WebAssembly as unknown as PromiseIntegration;

/** Whether any module can be suspended here. */
function canSuspend(): boolean {
  return integration.Suspending !== undefined;
}

/**
 * Which module serves a worker of a browser: threads need shared memory, and any but the last has to be suspended from
 * outside.
 */
export function moduleFile(threads: number): string {
  if (!canSuspend()) return "millbrain-asyncify.wasm";
  return threads > 1 && globalThis.crossOriginIsolated ? "millbrain-threads.wasm" : "millbrain.wasm";
}


import type { Transport } from "./types.js";
import { workerTransport } from "./worker-transport.js";

/** The address of the folder with the files of the package. */
export const assets = new URL(/* @vite-ignore */ "../data/", import.meta.url).href;

/** Files are kept across visits under this name, which changes with their content. */
const CACHE = "millbrain-0.1.0";

async function response(url: string): Promise<Response> {
  // Not everywhere is there a cache: pages that are not secure have none.
  const cache = await globalThis.caches?.open(CACHE).catch(() => undefined);
  const kept = await cache?.match(url);
  if (kept !== undefined) return kept;
  const fetched = await fetch(url);
  if (!fetched.ok) throw new Error(`${url}: ${fetched.status} ${fetched.statusText}`);
  // A full disk is no reason not to play.
  await cache?.put(url, fetched.clone()).catch(() => {});
  return fetched;
}

/** Reads a file of the package, and unpacks it if it is packed. */
export async function readAsset(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await (await response(url)).arrayBuffer());
  // Some servers unpack on the way, so the name does not tell.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** Starts the engine in a worker. */
export function startWorker(folder: string, threads: number): Transport {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "millbrain" });
  return workerTransport(worker, folder, threads);
}

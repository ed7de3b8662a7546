import { DIGEST } from "./digest.js";
import { AssetError, type Transport, wordsOf } from "./types.js";
import { workerTransport } from "./worker-transport.js";

/** The address of the folder with the files of the package. */
export const assets = new URL(/* @vite-ignore */ "../data/", import.meta.url).href;

/** Files are kept across visits under this name, which changes with their content. */
const CACHE = `millbrain-${DIGEST}`;

/** The files kept, those of other versions thrown away; nothing on pages that are not secure, which may keep none. */
async function openCache(): Promise<Cache | undefined> {
  try {
    for (const name of await caches.keys()) {
      if (/^millbrain-[0-9a-f]{12}$/.test(name) && name !== CACHE) await caches.delete(name);
    }
    return await caches.open(CACHE);
  } catch {
    return undefined;
  }
}

let cache: Promise<Cache | undefined> | undefined;

/** A file that is kept. What a host says of how its answers vary does not matter: there is one file of each name. */
async function kept(url: string): Promise<Response | undefined> {
  cache ??= openCache();
  return (await cache)?.match(url, { ignoreVary: true });
}

/** Does the work when no other worker or page is doing it, where the browser can tell. */
function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks === undefined ? work() : (navigator.locks.request(name, work) as Promise<T>);
}

async function response(url: string): Promise<Response> {
  // Two engines that want the same file at the same time fetch it once.
  return (await kept(url)) ?? alone(`millbrain ${url}`, async () => (await kept(url)) ?? fetchAndKeep(url));
}

async function fetchAndKeep(url: string): Promise<Response> {
  const fetched = await fetch(url).catch((cause: unknown) => {
    throw new AssetError(url, false, wordsOf(cause), { cause });
  });
  if (!fetched.ok) throw new AssetError(url, false, `${fetched.status} ${fetched.statusText}`.trimEnd());
  // A full disk is no reason not to play.
  await (await cache)?.put(url, fetched.clone()).catch(() => {});
  return fetched;
}

/** Whether a file is kept already. */
export async function isKept(url: string): Promise<boolean> {
  return (await kept(url)) !== undefined;
}

/** Forgets a file that is kept: what was kept is not what it should be. */
export async function forget(url: string): Promise<void> {
  await (await cache)?.delete(url, { ignoreVary: true });
}

/** Fetches a file, so that it is there without a network; nothing on pages that may keep none. */
export async function keep(url: string): Promise<void> {
  cache ??= openCache();
  if ((await cache) !== undefined) await (await response(url)).body?.cancel();
}

/** Reads a file of the package, and unpacks it if it is packed. */
export async function readAsset(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await (await response(url)).arrayBuffer());
  // Some servers unpack on the way, so the name does not tell.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  } catch (cause) {
    await forget(url);
    throw new AssetError(url, true, wordsOf(cause), { cause });
  }
}

/** Starts the engine in a worker. */
export function startWorker(folder: string, threads: number): Transport {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "millbrain" });
  return workerTransport(worker, folder, threads);
}

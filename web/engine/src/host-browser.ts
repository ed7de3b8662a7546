import { addressIn } from "./files/apart.js";
import { DIGEST, FILES } from "./files/digest.js";
import { download, type Fingerprint } from "./files/download.js";
import type { Download, OnDownload, Transport } from "./types.js";
import { workerTransport } from "./worker-transport.js";

/** The address of the folder with the files of the package. */
export const assets = new URL(/* @vite-ignore */ "../data/", import.meta.url).href;

/** The package `@millbrain/packs` is installed beside this one. */
const PACKS = new URL("../../@millbrain/packs/", assets).href;

/** Returns the address of a file, from a folder with the files of the package. */
export const addressOf = (name: string, folder: string): string =>
  addressIn(folder, name, folder === assets ? PACKS : undefined);

/** Name of the cache, which changes with the files' contents. */
const CACHE = `millbrain-${DIGEST}`;

/** Opens the cache and deletes those of other versions; `undefined` on pages that are not secure. */
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

/** Returns a cached file. `Vary` headers of the host are ignored: there is one file per name. */
async function kept(url: string): Promise<Response | undefined> {
  cache ??= openCache();
  return (await cache)?.match(url, { ignoreVary: true });
}

/** Returns the name of a file and its fingerprint. */
function known(url: string): readonly [name: string, fingerprint: Fingerprint | undefined] {
  const [name = url, folder] = url.split("/").reverse();
  const inFolder = `${folder}/${name}`;
  return inFolder in FILES ? [inFolder, FILES[inFolder]] : [name, FILES[name]];
}

/** Runs work while no other worker or page runs it, if the browser supports locks. */
function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks === undefined ? work() : (navigator.locks.request(name, work) as Promise<T>);
}

/** Reads a file from the cache, or downloads it. */
async function read(url: string, onProgress: OnDownload | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const response = await kept(url);
  if (response !== undefined) return new Uint8Array(await response.arrayBuffer());
  const [file, expected] = known(url);
  let last: Omit<Download, "isOver"> = { file, received: 0, total: expected?.[0] };
  try {
    const bytes = await download(url, {
      expected,
      cache: await cache,
      onProgress: (received, total) => {
        last = { file, received, total };
        onProgress?.({ ...last, isOver: false });
      },
    });
    last = { file, received: bytes.length, total: bytes.length };
    // A full disk must not prevent playing.
    await (await cache)?.put(url, new Response(bytes)).catch(() => {});
    return bytes;
  } finally {
    onProgress?.({ ...last, isOver: true });
  }
}

/** Whether a file is cached. */
export async function isKept(url: string): Promise<boolean> {
  return (await kept(url)) !== undefined;
}

/** Removes an invalid file from the cache. */
export async function forget(url: string): Promise<void> {
  await (await cache)?.delete(url, { ignoreVary: true });
}

/** Downloads a file for use without a network; does nothing on pages without a cache. */
export async function keep(url: string, onProgress?: OnDownload): Promise<void> {
  cache ??= openCache();
  if ((await cache) !== undefined && !(await isKept(url))) await readAsset(url, onProgress);
}

/** Reads a file of the package. Concurrent requests of several engines fetch it once. */
export async function readAsset(url: string, onProgress?: OnDownload): Promise<Uint8Array<ArrayBuffer>> {
  const response = await kept(url);
  if (response !== undefined) return new Uint8Array(await response.arrayBuffer());
  return alone(`millbrain ${url}`, () => read(url, onProgress));
}

/** Starts the engine in a worker. */
export function startWorker(folder: string, threads: number): Transport {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "millbrain" });
  return workerTransport(worker, folder, threads);
}

import type { OnDownload, Transport } from "./types.js";

/** The differences between a browser and Node. */
export interface Host {
  /** The address of the folder with the files of the package. */
  readonly assets: string;
  /** Returns the address of a file, from a folder with the files of the package. */
  addressOf(name: string, folder: string): string;
  /** Reads a file of the package. */
  readAsset(url: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Removes an invalid file from the cache. */
  forget?(url: string): Promise<void>;
  /** Downloads a file for use without a network; does nothing if files are local. */
  keep?(url: string, onDownload?: OnDownload): Promise<void>;
  /** Starts the engine in a worker, with at most `threads` search threads. */
  startWorker(assets: string, threads: number): Transport;
}

let current: Host | undefined;

/** Sets the host; the package's entry calls it. */
export function setHost(host: Host): void {
  current = host;
}

/** Returns the host. */
export function host(): Host {
  if (current === undefined) throw new Error("no host, expected an import of 'millbrain'");
  return current;
}

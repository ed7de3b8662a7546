import type { OnDownload, Transport } from "./types.js";

/** What differs between a browser and Node. */
export interface Host {
  /** The address of the folder with the files of the package. */
  readonly assets: string;
  /** Reads a file of the package. */
  readAsset(url: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Forgets a file that is kept, and is not what it should be. */
  forget?(url: string): Promise<void>;
  /** Fetches a file, so that it is there without a network; nothing where files are on the machine anyway. */
  keep?(url: string, onDownload?: OnDownload): Promise<void>;
  /** Starts the engine in a worker, with at most so many search threads. */
  startWorker(assets: string, threads: number): Transport;
}

let current: Host | undefined;

/** Says where this code runs; the entry of the package does it. */
export function setHost(host: Host): void {
  current = host;
}

/** Where this code runs. */
export function host(): Host {
  if (current === undefined) throw new Error("no host, expected an import of 'millbrain'");
  return current;
}

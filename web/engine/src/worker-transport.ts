import type { Download, Transport } from "./types.js";

/** What the worker is told first. */
export interface WorkerStart {
  /** The address of the files. */
  readonly assets: string;
  /** Most search threads. */
  readonly threads?: number;
  /** Whether to tell of files that come; otherwise it says nothing but lines. */
  readonly downloads?: boolean;
}

/** What is told of a file that comes. */
export interface DownloadWord {
  readonly download: Download;
}

/** Asks for a sign of life, and is one: no line of the protocol, since a session may be busy for good reasons. */
export const PING = { ping: true } as const;

/** The way to an engine in a worker of a browser. */
export function workerTransport(worker: Worker, assets: string, threads: number): Transport {
  let answered = () => {};
  const transport: Transport = {
    send: (line) => worker.postMessage(line),
    onLine: () => {},
    onClose: () => {},
    onDownload: () => {},
    close: () => worker.terminate(),
    ping: (callback) => {
      answered = callback;
      worker.postMessage(PING);
    },
  };
  const fail = (reason: string) => {
    worker.terminate();
    transport.onClose(new Error(reason));
  };
  worker.onmessage = ({ data }: MessageEvent<string | typeof PING | DownloadWord>) => {
    if (typeof data === "string") transport.onLine(data);
    else if ("download" in data) transport.onDownload?.(data.download);
    else answered();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    // Browsers put the kind of an error before its words.
    fail(event.message?.replace(/^(Uncaught )?(\w*Error: )?/, "") || "the worker could not be started");
  };
  worker.onmessageerror = () => fail("a message of the worker could not be read");
  // The first message says where the files are; all others are lines and pings.
  worker.postMessage({ assets, threads, downloads: true } satisfies WorkerStart);
  return transport;
}

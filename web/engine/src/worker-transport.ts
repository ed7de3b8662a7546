import type { Download, Transport } from "./types.js";

/** The first message to the worker. */
export interface WorkerStart {
  /** Address of the files. */
  readonly assets: string;
  /** Maximum search threads. */
  readonly threads?: number;
  /** Whether to report downloads; otherwise the worker sends only lines. */
  readonly downloads?: boolean;
}

/** A report of a download. */
export interface DownloadWord {
  readonly download: Download;
}

/** A ping and its answer: not a line of the protocol, since a session may be busy for good reasons. */
export const PING = { ping: true } as const;

/** Connects to an engine in a browser's worker. */
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
    // Browsers prefix the message with the kind of the error.
    fail(event.message?.replace(/^(Uncaught )?(\w*Error: )?/, "") || "the worker could not be started");
  };
  worker.onmessageerror = () => fail("a message of the worker could not be read");
  // The first message has the address of the files; all others are lines and pings.
  worker.postMessage({ assets, threads, downloads: true } satisfies WorkerStart);
  return transport;
}

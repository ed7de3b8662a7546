import { noteLine } from "./protocol/lines.js";
import { type Download, EngineGone, type Note, type TableReading, type Transport } from "./types.js";

/** The first message to the worker. */
export interface WorkerStart {
  /** Address of the files. */
  readonly assets: string;
  /** Maximum search threads. */
  readonly threads?: number;
  /** Whether to report downloads and readings of tables; otherwise the worker sends only lines. */
  readonly downloads?: boolean;
}

/** A report of a download. */
export interface DownloadWord {
  readonly download: Download;
}

/** A report of reading a table on a host. */
export interface ReadingWord {
  readonly reading: TableReading;
}

/** The message about a file that cannot be loaded. */
export interface NoteWord {
  readonly note: Note;
}

/** The message about an error that has ended the engine. */
export interface FaultWord {
  readonly fault: Note;
}

/** The messages of every worker. */
export type Word = string | ReadingWord | NoteWord | FaultWord;

/** Passes a message about a file that cannot be loaded on to a transport. */
export function hearNote(transport: Transport, note: Note): void {
  if (transport.onNote === undefined) transport.onLine(noteLine(note.message));
  else transport.onNote(note);
}

/** Passes the error that has ended the engine on to a transport. */
export const hearFault = (transport: Transport, { message, id, values }: Note): void =>
  transport.onClose(new EngineGone(message, id, values));

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
    onReading: () => {},
    close: () => worker.terminate(),
    ping: (callback) => {
      answered = callback;
      worker.postMessage(PING);
    },
  };
  const fail = (message: string, id = "", values = {}) => {
    worker.terminate();
    hearFault(transport, { message, id, values });
  };
  worker.onmessage = ({ data }: MessageEvent<Word | typeof PING | DownloadWord>) => {
    if (typeof data === "string") transport.onLine(data);
    else if ("download" in data) transport.onDownload?.(data.download);
    else if ("reading" in data) transport.onReading?.(data.reading);
    else if ("note" in data) hearNote(transport, data.note);
    else if ("fault" in data) fail(data.fault.message, data.fault.id, data.fault.values);
    else answered();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    // Without words its code could not be loaded.
    if (event.message) fail(event.message);
    else fail("the worker could not be started", "engine.start");
  };
  worker.onmessageerror = () => fail("a message of the worker could not be read");
  // The first message has the address of the files; all others are lines and pings.
  worker.postMessage({ assets, threads, downloads: true } satisfies WorkerStart);
  return transport;
}

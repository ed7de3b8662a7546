import type { Transport } from "./types.js";

/** The way to an engine in a worker of a browser. */
export function workerTransport(worker: Worker, assets: string, threads: number): Transport {
  const transport: Transport = {
    send: (line) => worker.postMessage(line),
    onLine: () => {},
    onClose: () => {},
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }: MessageEvent<string>) => transport.onLine(data);
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    transport.onClose(new Error(event.message || "the worker could not be started"));
  };
  // The first message says where the files are; all others are lines.
  worker.postMessage({ assets, threads });
  return transport;
}

import { readFile } from "node:fs/promises";
import { MessageChannel, Worker } from "node:worker_threads";
import { addressIn } from "./files/apart.js";
import { AssetError, EngineGone, type Transport } from "./types.js";
import { hearFault, hearNote, type Word } from "./worker-transport.js";

/** The address of the folder with the files of the package. */
export const assets = new URL("../data/", import.meta.url).href;

/** Returns the folder of the package `@millbrain/packs`, wherever it is installed. */
function packs(): string {
  try {
    return new URL(".", import.meta.resolve("@millbrain/packs/package.json")).href;
  } catch {
    return new URL("../../@millbrain/packs/", assets).href;
  }
}

/** Returns the address of a file, from a folder with the files of the package. */
export const addressOf = (name: string, folder: string): string =>
  addressIn(folder, name, folder === assets ? packs() : undefined);

/** Reads a file of the package. */
export async function readAsset(url: string): Promise<Uint8Array<ArrayBuffer>> {
  return readFile(new URL(url)).then(
    (bytes) => new Uint8Array(bytes),
    (cause: NodeJS.ErrnoException) => {
      throw new AssetError(url, false, cause.code ?? cause.message, { cause });
    },
  );
}

/** Starts the engine in a worker. */
export function startWorker(folder: string, threads: number): Transport & { end(): void } {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL("./worker-node.js", import.meta.url), {
    workerData: { assets: folder, threads, port: port2 },
    transferList: [port2],
  });
  const transport: Transport & { end(): void } = {
    /** Ends the input. */
    end: () => port1.postMessage(null),
    send: (line) => port1.postMessage(line),
    onLine: () => {},
    onClose: () => {},
    close: () => void worker.terminate(),
  };
  port1.on("message", (data: Word) => {
    if (typeof data === "string") transport.onLine(data);
    else if ("reading" in data) transport.onReading?.(data.reading);
    else if ("note" in data) hearNote(transport, data.note);
    else hearFault(transport, data.fault);
  });
  worker.on("error", (error) => transport.onClose(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => transport.onClose(new EngineGone("the engine has ended", "engine.gone")));
  return transport;
}

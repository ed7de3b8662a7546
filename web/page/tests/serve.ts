import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { extname, join, resolve } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const dist = resolve(import.meta.dirname, "../dist");

/** The compressed length of each file from a host that compresses; cached, since it is slow. */
const packed = new Map<string, number>();
function packedLength(file: string): number {
  const known = packed.get(file);
  if (known !== undefined) return known;
  const length = Math.min(statSync(file).size, gzipSync(readFileSync(file)).length);
  packed.set(file, length);
  return length;
}

/** Handles requests to a server behind the page; returns `true` when the request was answered. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => boolean | Promise<boolean>;

export interface Served {
  readonly url: string;
  readonly server: Server;
  /** Bytes sent so far, and their number from a host that compresses. */
  bytes: number;
  packed: number;
  close(): void;
}

/** Serves the built page in a folder of a host, like any static host: no special headers. */
export async function serve(folder = "/some/where/", handler?: Handler): Promise<Served> {
  const served = { bytes: 0, packed: 0 } as Served & { url: string; server: Server };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    if (handler && (await handler(request, response, path.slice(folder.length)))) return;
    const file = path.startsWith(folder) ? join(dist, path.slice(folder.length) || "index.html") : "";
    if (!file.startsWith(dist) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end("not found");
      return;
    }
    served.bytes += statSync(file).size;
    served.packed += packedLength(file);
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(served, {
    url: `http://127.0.0.1:${port}${folder}`,
    server,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

// A static host for the built page, and the browser that visits it: for the scripts that measure the page.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const { extname, join } = require("node:path");

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** Returns the path of a Chromium: the one that CHROMIUM names, or one in the path. */
function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  const command = names.map((name) => `command -v ${name}`).join(" || ");
  try {
    return execFileSync("sh", ["-c", command], { encoding: "utf8" }).trim();
  } catch {
    console.error("no Chromium, expected one in the path or named by CHROMIUM");
    process.exit(2);
  }
}

/**
 * Serves a folder; returns its address, and a function that ends it. `answer` returns true for the requests, with their
 * paths, that it answers itself. `isPacked` sends the compressed files beside others, which browsers may cache.
 */
async function serve(folder, { answer = () => false, isPacked = false } = {}) {
  const server = http.createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(1) || "index.html";
    if (answer(request, response, path)) return;
    const file = join(folder, path);
    const isThere = file.startsWith(folder) && fs.statSync(file, { throwIfNoEntry: false })?.isFile();
    if (!isThere) return response.writeHead(404).end();
    const packed = isPacked && fs.existsSync(`${file}.br`);
    response.writeHead(200, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      ...(isPacked && { "Cache-Control": "max-age=600" }),
      ...(packed && { "Content-Encoding": "br" }),
    });
    fs.createReadStream(packed ? `${file}.br` : file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => server.close().closeAllConnections(),
  };
}

module.exports = { browserPath, serve };

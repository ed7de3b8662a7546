// Serves a folder as a static host does, visits its page and prints its title once it no longer changes, or the error.
// Usage: node visit.mjs FOLDER [VARY], the value of a header Vary
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { css: "text/css", html: "text/html", js: "text/javascript", svg: "image/svg+xml", wasm: "application/wasm" };
const [folder, vary] = process.argv.slice(2);
let requests = 0;
const server = createServer(async (request, response) => {
  requests += 1;
  const path = normalize(new URL(request.url, "http://local").pathname);
  try {
    const body = await readFile(join(folder, path.endsWith("/") ? `${path}index.html` : path));
    if (vary) response.setHeader("Vary", vary);
    response.setHeader("Content-Type", TYPES[path.endsWith("/") ? "html" : path.split(".").at(-1)] ?? "application/octet-stream");
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
const page = await browser.newPage();
const faults = [];
page.on("pageerror", (error) => faults.push(String(error)));
// The page of millbrain asks whether its host has an engine too.
page.on("response", (response) => response.status() >= 400 && !response.url().endsWith("/api/info") && faults.push(`${response.status()} ${response.url()}`));
await page.goto(`http://127.0.0.1:${server.address().port}/`);
// The example sets its move as the title; the page has one from the first.
await page
  .waitForFunction(() => document.title !== "new" && document.readyState === "complete", null, { timeout: 60_000 })
  .catch((error) => faults.push(error.message));
await page.waitForTimeout(1000);
console.log(vary ? `Vary: ${vary}:` : "no Vary:", await page.title(), `- ${requests} requests`);
await browser.close();
server.close();
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

// The examples of the README that are whole programs or whole pages run unchanged.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/^```js\n(import [^]*?)^```/gm)].map(([, code]) => code);

// In the package, so that they find it by its name.
const folder = mkdtempSync(fileURLToPath(new URL("example-", import.meta.url)));
after(() => rmSync(folder, { recursive: true }));

test("there are examples", () => assert(examples.length >= 2));

for (const [i, code] of examples.entries()) {
  test(`example ${i + 1} runs, and prints something`, () => {
    const file = join(folder, `${i}.mjs`);
    writeFileSync(file, code);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.notEqual(stdout, "");
  });
}

const pages = [...readme.matchAll(/^```html\n([^]*?)^```/gm)].map(([, page]) => page);

test("pages without a bundler answer, served as files beside the package", async () => {
  assert.equal(pages.length, 2);
  const root = new URL("..", import.meta.url);
  const types = { js: "text/javascript", wasm: "application/wasm" };
  const server = createServer(({ url }, response) => {
    const [, file] = /^\/node_modules\/millbrain\/(.+)$/.exec(url) ?? [];
    const [, number] = /^\/(\d)\.html$/.exec(url) ?? [];
    try {
      const body = number === undefined ? readFileSync(new URL(file, root)) : pages[number];
      response.writeHead(200, { "Content-Type": types[file?.split(".").at(-1)] ?? "text/html" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    for (const [i, expected] of [/^The engine replies [a-g][1-7]\.$/, /^bestmove [a-g][1-7]/].entries()) {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.address().port}/${i}.html`);
      const answered = (pattern) => new RegExp(pattern).test(document.querySelector("output").value);
      await page.waitForFunction(answered, expected.source);
    }
  } finally {
    await browser.close();
    server.close();
  }
});

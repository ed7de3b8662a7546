// The examples of the README that are whole programs run as they stand.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

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

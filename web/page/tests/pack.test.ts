import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "millbrain-pack-"));
afterEach(() => rmSync(folder, { recursive: true }));

test("files are packed where that saves a tenth, again and again", () => {
  const text = Buffer.from("place slide mill ".repeat(500));
  mkdirSync(join(folder, "assets"));
  const files = {
    "index.html": text,
    "assets/a.js": text,
    "short.txt": "short",
    "noise.pack": randomBytes(9_000),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const pack = () =>
    execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/pack.js"), folder]);
  pack();
  pack();
  const there = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    name.replaceAll("\\", "/"),
  );
  const packed = ["assets/a.js.br", "assets/a.js.gz", "index.html.br", "index.html.gz"];
  expect(there.sort()).toEqual(["assets", ...Object.keys(files), ...packed].sort());
  for (const name of ["index.html", "assets/a.js"]) {
    expect(brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))).toEqual(text);
    expect(gunzipSync(readFileSync(join(folder, `${name}.gz`)))).toEqual(text);
  }
});

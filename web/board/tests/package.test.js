// The contents of the package.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));

test("packed it has what it exports, its types, its examples and its licences, and nothing else", async () => {
  const [{ files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: folder, encoding: "utf8" }),
  );
  const names = files.map(({ path }) => path);
  const { exports } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  const wanted = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? target : Object.values(target),
  );
  const others = ["examples/index.html", "examples/boards.js", "README.md", "LICENSE-MIT", "LICENSE-APACHE"];
  for (const name of [...wanted.map((path) => path.slice(2)), ...others])
    assert.ok(names.includes(name), name);
  assert.deepEqual(
    names.filter((name) => !/^(dist|src|examples)\/|^(package\.json|README\.md|LICENSE-\w+)$/.test(name)),
    [],
  );
});

test("it can be imported where there is no document", async () => {
  const { STONE_NAMES, BOARD_NAMES } = await import("@millbrain/board");
  assert.ok(STONE_NAMES.includes("ivory") && BOARD_NAMES.includes("oak"));
});

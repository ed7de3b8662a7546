// The minimal client of the protocol plays a whole game.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Rules } from "millbrain";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

test("the minimal client plays a game", async () => {
  const client = [file("../../../examples/client.mjs"), process.execPath, file("../dist/cli.js")];
  const { stdout } = await promisify(execFile)(process.execPath, client);
  const [first, ...lines] = stdout.trimEnd().split("\n");
  const last = lines.pop();
  assert.equal(first, "readyok");
  const moves = lines.map((line) => line.split(" ")[1]);
  assert.ok(moves.length > 20);
  const { ending } = (await Rules.create()).state({ variant: "mlyn" }, { moves });
  const result = ending.winner === null ? "draw" : `${ending.winner} wins`;
  assert.equal(last, `Result: ${result} (${ending.reason})`);
});

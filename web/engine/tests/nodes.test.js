// Searches equal those of the native engine, node by node, whatever suspends the module.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Mailbox, drive } from "../dist/driver.js";
import { compile } from "../dist/wasm/bridge.js";
import { EngineModule } from "../dist/wasm/module.js";
import { assets, readAsset } from "../dist/host-node.js";

const DEPTH = 9;
/** Set by scripts/web: the native engine. */
const NATIVE = process.env.MILLBRAIN;

/** Runs lines in this thread; returns the engine's output. */
async function run(file, interruption, lines) {
  const mailbox = new Mailbox();
  const said = [];
  const engine = await EngineModule.start(await compile(new URL(file, assets).href, readAsset), interruption);
  engine.onLine = (line) => said.push(line);
  for (const line of [...lines, null]) mailbox.put(line);
  await drive(engine, mailbox, { address: (name) => name, read: (name) => readAsset(new URL(name, assets).href), isNear: async () => true });
  return said;
}

const counts = (lines) => lines.flatMap((line) => /\/\d+ (\w+) depth \d+ nodes (\d+) /.exec(line)?.slice(1).join(" ") ?? []);
const polled = { poll: () => {} };
const breathing = { pause: () => new Promise((resolve) => setImmediate(resolve)) };
const totals = [];

for (const [file, interruption] of [
  ["millbrain.wasm", polled],
  ["millbrain-asyncify.wasm", breathing],
]) {
  test(`${file} searches the same nodes as the native engine`, async (t) => {
    const lines = await run(file, interruption, [`bench ${DEPTH}`]);
    assert.equal(counts(lines).length, 17);
    totals.push(lines.at(-1).split(" ")[0]);
    assert.equal(totals[0], totals.at(-1));
    if (NATIVE === undefined) return t.diagnostic("MILLBRAIN names no native engine to compare with");
    const native = execFileSync(NATIVE, ["bench", String(DEPTH)], { encoding: "utf8", stdio: "pipe" });
    assert.equal(totals[0], native.trim().split("\n").at(-1).split(" ")[0]);
    t.diagnostic(`${file}: ${lines.at(-1)}; native: ${native.trim().split("\n").at(-1)}`);
  });
}

test("the tables of a variant are there when they are needed", async () => {
  for (const [variant, fen] of [
    ["morris", "O2/1O1/X2/4OX/2O/O2/1X1 w 0 0 0 1"],
    ["smess", "3b3/7/3B3/7/7/7/3S3/7 w 0 1"],
  ]) {
    const lines = await run("millbrain.wasm", polled, [
      `setoption name UCI_Variant value ${variant}`,
      `position fen ${fen}`,
      "go depth 8",
    ]);
    assert.ok(lines.some((line) => /tbhits [1-9]/.test(line)), `${variant}: ${lines.join("\n")}`);
  }
});

test("a pack is there from the first move on, and searched with as by the native engine", async (t) => {
  const lines = (value) => [`setoption name TablebaseEmbedded value ${value}`, "position startpos", "go depth 8"];
  const plain = (said) => said.filter((line) => line.startsWith("info depth")).map((line) => line.replace(/nps \d+|time \d+/g, ""));
  const searched = async (value) => plain(await run("millbrain.wasm", polled, lines(value)));
  const packed = await searched(true);
  assert.equal(packed.length, 8);
  assert.notDeepEqual(packed, await searched(false));
  if (NATIVE === undefined) return t.diagnostic("MILLBRAIN names no native engine to compare with");
  const native = execFileSync(NATIVE, { input: `${lines(true).join("\n")}\n`, encoding: "utf8" });
  assert.deepEqual(packed, plain(native.trim().split("\n")));
});

// The program of the package supports the protocol of the engine: every transcript of protocol.md holds for it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Client } from "./lines.js";

const document = readFileSync(new URL("../../../protocol.md", import.meta.url), "utf8");
// Options with files do not exist in a program without files.
const ABSENT = /Log File|TablebasePath|BookFile/;
// All limits are lower.
const here = (pattern) => pattern.replace(/65536/, "1024").replace(/(name Threads .* max) 512/, "$1 *");

/** Whether a line matches a pattern: `*` matches a word, a final `**` the rest of the line. */
function fits(pattern, line) {
  const words = line.split(" ");
  for (const expected of pattern.split(" ")) {
    if (expected === "**") return true;
    const word = words.shift();
    if (word === undefined || (expected !== "*" && expected !== word)) return false;
  }
  return words.length === 0;
}

async function replay(number, lines) {
  const client = new Client();
  try {
    await hold(client, number, lines);
  } finally {
    // A waiting program would keep this one alive.
    client.process.kill();
  }
}

async function hold(client, number, lines) {
  let skipping = false;
  for (const pattern of lines.filter((line) => !ABSENT.test(line))) {
    number++;
    if (pattern.startsWith("> ")) {
      client.send(pattern.slice(2));
      continue;
    }
    if (pattern === "...") {
      skipping = true;
      continue;
    }
    for (const passed = []; ; ) {
      const line = await client.line();
      assert.notEqual(line, undefined, `protocol.md:${number}: no line left for ${pattern}, passed ${passed.join("\n")}`);
      if (ABSENT.test(line)) continue;
      if (fits(here(pattern.trimEnd()), line.trimEnd())) break;
      assert.ok(skipping, `protocol.md:${number}: expected ${pattern}, found ${line}`);
      passed.push(line);
    }
    skipping = false;
  }
  const rest = await client.finish();
  assert.ok(skipping || rest.length === 0, `protocol.md:${number}: lines left over: ${rest.join("\n")}`);
}

const transcripts = [...document.matchAll(/^```transcript\n([^]*?)^```$/gm)]
  .map((match) => ({ number: document.slice(0, match.index).split("\n").length + 1, lines: match[1].trimEnd().split("\n") }))
  .filter(({ lines }) => !lines.some((line) => line.startsWith("> ") && ABSENT.test(line)));
assert.ok(transcripts.length >= 14, "the document has its transcripts");

for (const { number, lines } of transcripts) {
  test(`the transcript of line ${number} holds`, () => replay(number, lines));
}

test("lines act in order, and stop acts at once", async () => {
  const client = new Client();
  client.send("go infinite", "isready");
  await client.until("readyok");
  client.send("position startpos moves d6", "go infinite", "stop", "go nodes 100", "isready");
  assert.equal((await client.until("readyok")).filter((line) => line.startsWith("bestmove")).length <= 2, true);
  const rest = await client.finish();
  assert.equal(rest.filter((line) => line.startsWith("bestmove")).length <= 3, true);
  assert.equal(await client.exit, 0);
});

test("the end of the input ends a search without a limit", async () => {
  const client = new Client();
  client.send("go infinite");
  const lines = await client.finish();
  assert.match(lines.at(-1), /^bestmove /);
  assert.equal(await client.exit, 0);
});

test("quit ends the program in the middle of a search", async () => {
  const client = new Client();
  client.send("go infinite", "go infinite", "quit");
  let answers = 0;
  for (let line = await client.line(); line !== undefined; line = await client.line()) answers += line.startsWith("bestmove");
  assert.equal(answers, 2);
  assert.equal(await client.exit, 0);
});

// A minimal client of the protocol: plays a game of the engine against itself. Usage: client.mjs COMMAND [ARGUMENT ...]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const engine = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]();

/** Sends a line and returns the answer, up to the line that is the last. */
async function ask(line, isLast) {
  engine.stdin.write(`${line}\n`);
  const answer = [];
  while (answer.length === 0 || !isLast(answer.at(-1))) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the engine ended after ${line}`);
    answer.push(value);
  }
  return answer;
}

await ask("uci", (line) => line === "uciok");
// This has no answer; the answer to isready confirms it, and any refusal comes before it.
console.log(...(await ask("setoption name UCI_Variant value mlyn\nisready", (line) => line === "readyok")));
const moves = [];
for (;;) {
  const position = ["position startpos moves", ...moves].join(" ");
  const board = await ask(`${position}\nd\nisready`, (line) => line === "readyok");
  const result = board.find((line) => line.startsWith("Result: "));
  if (result !== undefined) {
    console.log(result);
    break;
  }
  const answer = await ask("go nodes 2000", (line) => line.startsWith("bestmove"));
  const move = answer.pop().split(" ")[1];
  moves.push(move);
  const scores = answer.flatMap((line) => / score (.*?) nodes /.exec(line)?.[1] ?? []);
  console.log(`${moves.length}. ${move} (${scores.at(-1) ?? "no search"})`);
}
engine.stdin.end("quit\n");

#!/usr/bin/env node
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { assets, startWorker } from "./host-node.js";

const engine = startWorker(assets, availableParallelism());
engine.onLine = (line) => process.stdout.write(`${line}\n`);
engine.onClose = () => {
  process.exitCode ??= 0;
  process.stdin.destroy();
};
// The output is closed: ends like a program with a broken pipe.
process.stdout.on("error", () => process.exit(141));
const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
input.on("line", (line) => engine.send(line));
input.on("close", () => engine.end());

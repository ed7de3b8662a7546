// A session with the package's program, line by line.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** A process that speaks the protocol. */
export class Client {
  #lines = [];
  #wake = () => {};
  #ended = false;

  constructor(command = process.execPath, args = [CLI]) {
    this.process = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const reader = createInterface({ input: this.process.stdout });
    reader.on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.exit = new Promise((resolve) => this.process.on("close", (code) => resolve(code)));
    reader.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }

  send(...lines) {
    for (const line of lines) this.process.stdin.write(`${line}\n`);
  }

  /** Returns the next line; `undefined` at the end of the output. */
  async line() {
    while (this.#lines.length === 0) {
      if (this.#ended) return undefined;
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift();
  }

  /** Returns the lines up to one that begins with a word. */
  async until(word) {
    const lines = [];
    for (;;) {
      const line = await this.line();
      if (line === undefined) throw new Error(`no ${word} among ${JSON.stringify(lines)}`);
      lines.push(line);
      if (line.split(" ")[0] === word) return lines;
    }
  }

  /** Ends the input; returns the remaining lines. */
  async finish() {
    this.process.stdin.end();
    const lines = [];
    for (let line = await this.line(); line !== undefined; line = await this.line()) lines.push(line);
    return lines;
  }
}

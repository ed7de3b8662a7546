import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The native program; scripts/web names it. */
const program = process.env["MILLBRAIN"];
/** Whether it exists, with its server. */
export const canServe =
  program !== undefined && execFileSync(program, ["-h"], { encoding: "utf8" }).includes("serve");

/** The native program as the server of the built page, with its own archive. */
export class NativeServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "millbrain-"));
  readonly #words: readonly string[];
  #process: ChildProcess | undefined;

  /** With additional arguments of `serve`. */
  constructor(...words: string[]) {
    this.#words = words;
  }

  /** Starts it, at its previous address if there was one; returns the address. */
  start(address = "127.0.0.1:0"): Promise<string> {
    const page = resolve(import.meta.dirname, "../dist");
    const archive = join(this.#folder, "games.sqlite");
    const words = ["serve", "--address", address, "--page", page, "--archive", archive, ...this.#words];
    const started = spawn(program as string, words, { stdio: ["ignore", "inherit", "pipe"] });
    this.#process = started;
    return new Promise((found, failed) => {
      let reported = "";
      started.stderr.on("data", (text: Buffer) => {
        reported += String(text);
        const address = /serving on http:\/\/(\S+)\n/.exec(reported)?.[1];
        if (address !== undefined) found(address);
      });
      started.on("close", (code) =>
        failed(new Error(`the server has ended with status ${code}: ${reported}`)),
      );
    });
  }

  /** Kills it and waits for its end. */
  async kill(): Promise<void> {
    const ended = new Promise((done) => this.#process?.once("close", done));
    this.#process?.kill("SIGKILL");
    await ended;
  }

  /** Kills it and deletes its archive. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

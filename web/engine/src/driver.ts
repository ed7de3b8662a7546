import type { EngineModule } from "./wasm/module.js";
import { type Files, FileLoader } from "./files/loader.js";

/** A line, or `null` for the end of the input. */
export type Message = string | null;

/** Delivers a message to the engine. */
export function deliver(engine: EngineModule, message: Message): void {
  if (message === null) engine.endOfInput();
  else engine.line(message);
}

/** Queue of received messages. */
export class Mailbox {
  readonly #messages: Message[] = [];
  #wake: () => void = () => {};

  /** Adds a message. */
  put(message: Message): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Delivers all waiting messages; returns `false` if there are none. */
  deliver(engine: EngineModule): boolean {
    const messages = this.#messages.splice(0);
    for (const message of messages) deliver(engine, message);
    return messages.length > 0;
  }

  /** Removes the first message, if there is one. */
  take(): Message | undefined {
    return this.#messages.shift();
  }

  /** Waits until there is a message. */
  async filled(): Promise<void> {
    if (this.#messages.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => {};
  }
}

/** Commands that need no files: rules may change repeatedly before anything is fetched for them. */
const LIGHT = new Set(["", "uci", "debug", "setoption", "register", "ucinewgame", "position", "stop", "ponderhit", "quit"]);

const firstWord = (message: Message) => message?.trimStart().split(/\s/, 1)[0] ?? "";

/** Drives a session by the lines of a mailbox until it is over. `ready` waits for requested threads. */
export async function drive(
  engine: EngineModule,
  mailbox: Mailbox,
  files: Files,
  ready: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const loader = new FileLoader(engine, files);
  while (!engine.isFinished) {
    await mailbox.filled();
    const message = mailbox.take();
    if (message === undefined) continue;
    const word = firstWord(message);
    if (word === "ucinewgame") loader.resetFailures();
    const isLight = LIGHT.has(word);
    if (!isLight) await loader.load();
    deliver(engine, message);
    // The command itself may need more files, as a benchmark does.
    if (!isLight) await loader.load();
    await ready();
    let hasRun = false;
    while (await engine.run()) {
      hasRun = true;
      // A line that waited for the job may have changed the rules and started another job.
      await loader.load();
      await ready();
    }
    if (hasRun) loader.fetchPacks();
  }
}

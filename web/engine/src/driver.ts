import type { EngineModule } from "./wasm/module.js";
import { type Files, FileLoader } from "./files/loader.js";
import { TableSupply } from "./files/tables.js";

/** A line, or `null` for the end of the input. */
export type Message = string | null;

/** Delivers a message to the engine. */
function deliver(engine: EngineModule, message: Message): void {
  if (message === null) engine.endOfInput();
  else engine.line(message);
}

const firstWord = (message: Message) => message?.trimStart().split(/\s/, 1)[0] ?? "";

/** Commands that end a search. */
const STOPS = new Set(["stop", "quit"]);

/** Queue of received messages. */
export class Mailbox {
  readonly #messages: Message[] = [];
  /** Searches that were requested during one, and wait for its end. */
  #queued: string[] = [];
  #wake: () => void = () => {};

  /** Adds a message. */
  put(message: Message): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Delivers all waiting messages; returns `false` if there are none. */
  deliver(engine: EngineModule): boolean {
    const messages = this.#messages.splice(0);
    for (const message of messages) {
      deliver(engine, message);
      if (message !== null && firstWord(message) === "go") this.#queued.push(message);
    }
    return messages.length > 0;
  }

  /** Removes the first of the delivered searches, if there is one. */
  takeQueued(): string | undefined {
    return this.#queued.shift();
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

  /** Runs work until it is done, a message stops the search, or its milliseconds are over. */
  async attend(time: number, work: (over: Promise<void>) => Promise<void>): Promise<void> {
    let watch: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      const look = () => this.#messages.some((message) => STOPS.has(firstWord(message))) && resolve();
      this.#wake = look;
      watch = setTimeout(resolve, time);
      look();
    });
    await work(over);
    clearTimeout(watch);
    this.#wake = () => {};
  }
}

/** Commands that need no files: rules may change repeatedly before anything is fetched for them. */
const LIGHT = new Set(["", "uci", "debug", "setoption", "register", "ucinewgame", "position", "stop", "ponderhit", "quit"]);
/** Commands that use tables of the current position. */
const TABLED = new Set(["go", "probe"]);

/** Maximum milliseconds to wait for tables on hosts, without and with limits of time. */
const PATIENCE = 10_000;
const PATIENCE_IN_PLAY = 2000;
/** The part of its clock that a search takes at most. */
const MOVES_TO_GO = 20;

/** Limits of time in a `go`. */
const TIMES = /\b(movetime|wtime|btime)(\s+)(\d+)/g;

/** Returns the milliseconds to wait for tables on hosts before a command: a quarter of the time of a move. */
function patience(message: string): number {
  const share = (name: string | undefined) => (name === "movetime" ? 1 : MOVES_TO_GO);
  const times = [...message.matchAll(TIMES)].map(([, name, , time]) => Number(time) / share(name));
  return times.length === 0 ? PATIENCE : Math.min(PATIENCE_IN_PLAY, Math.min(...times) / 4);
}

/** Returns a `go` with the time that is left after some milliseconds. */
const later = (message: string, past: number) =>
  message.replace(TIMES, (_, name: string, gap: string, time: string) => name + gap + Math.max(1, Number(time) - past));

/** Drives a session by the lines of a mailbox until it is over. `ready` waits for requested threads. */
export async function drive(
  engine: EngineModule,
  mailbox: Mailbox,
  files: Files,
  ready: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const loader = new FileLoader(engine, files);
  const tables = new TableSupply(engine, files.onReading);
  const supply = (command: string) =>
    mailbox.attend(patience(command), (over) => tables.supply(firstWord(command) === "go", over));
  while (!engine.isFinished) {
    await mailbox.filled();
    const message = mailbox.take();
    if (message === undefined) continue;
    const word = firstWord(message);
    if (word === "ucinewgame") loader.resetFailures();
    const isLight = LIGHT.has(word);
    if (!isLight) await loader.load(word === "probe");
    if (message !== null && TABLED.has(word)) {
      const begun = performance.now();
      await supply(message);
      deliver(engine, later(message, Math.floor(performance.now() - begun)));
    } else deliver(engine, message);
    // The command itself may need more files, as a benchmark does.
    if (!isLight) await loader.load();
    await ready();
    let hasRun = false;
    while (await engine.run()) {
      hasRun = true;
      // A line that waited for the job may have changed the rules and started another job.
      await loader.load();
      const queued = mailbox.takeQueued();
      if (queued !== undefined) await supply(queued);
      await ready();
    }
    if (hasRun) loader.fetchPacks();
  }
}

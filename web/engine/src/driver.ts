import type { EngineModule } from "./module.js";

/** A line, or nothing for the end of the input. */
export type Message = string | null;

/** Hands a message over. */
export function deliver(engine: EngineModule, message: Message): void {
  if (message === null) engine.endOfInput();
  else engine.line(message);
}

/** Messages that have come in and wait to be handed over. */
export class Mailbox {
  readonly #messages: Message[] = [];
  #wake: () => void = () => {};

  /** Puts a message in. */
  put(message: Message): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Hands over all that is there; `false` if there is nothing. */
  deliver(engine: EngineModule): boolean {
    const messages = this.#messages.splice(0);
    for (const message of messages) deliver(engine, message);
    return messages.length > 0;
  }

  /** Takes a message out, if there is one. */
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

/** Where the driver gets files from. */
export type ReadFile = (name: string) => Promise<Uint8Array>;

/** Fetches and installs what the rules in force ask for. The engine can do without, and says so. */
async function provide(engine: EngineModule, read: ReadFile, failed: Set<string>): Promise<void> {
  const names = engine.missing().filter((name) => !failed.has(name));
  const install = async (name: string) => {
    try {
      engine.install(name, await read(name));
    } catch (error) {
      failed.add(name);
      const reason = error instanceof Error ? error.message : String(error);
      engine.onLine(`info string ${name} cannot be loaded (${reason}), playing without it`);
    }
  };
  await Promise.all(names.map(install));
}

/** Drives a session by the lines of a mailbox until it is over. `ready` waits for threads that were asked for. */
export async function drive(
  engine: EngineModule,
  mailbox: Mailbox,
  read: ReadFile,
  ready: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const failed = new Set<string>();
  while (!engine.isFinished) {
    await mailbox.filled();
    const message = mailbox.take();
    if (message === undefined) continue;
    deliver(engine, message);
    // The rules may have changed, also by a line that waited for a job.
    do {
      await provide(engine, read, failed);
      await ready();
    } while (await engine.run());
  }
}

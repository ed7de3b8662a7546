import { AssetError, type Note, wordsOf } from "../types.js";

/** The functions of a WebAssembly module that pass texts in and out; crates/wasm/src/abi.rs describes them. */
export interface Buffers {
  memory: WebAssembly.Memory;
  input(length: number): number;
  answer(): number;
}

/** Passes texts and files to a module, and reads its texts. */
export class Bridge {
  readonly #encoder = new TextEncoder();

  constructor(readonly buffers: Buffers) {}

  bytes(at: number, length: number): Uint8Array {
    // The memory moves when it grows.
    return new Uint8Array(this.buffers.memory.buffer, at, length);
  }

  /** Writes the input of the next call. */
  give(...parts: ReadonlyArray<string | Uint8Array>): void {
    const written = parts.map((part) => (typeof part === "string" ? this.#encoder.encode(part) : part));
    let at = this.buffers.input(written.reduce((sum, part) => sum + part.length, 0));
    for (const part of written) {
      this.bytes(at, part.length).set(part);
      at += part.length;
    }
  }

  /** Reads the answer of a call that returned its length. */
  answer(length: number): string {
    // A copy: shared memory cannot be decoded.
    return new TextDecoder().decode(this.bytes(this.buffers.answer(), length).slice());
  }

  /** Reads a JSON answer. */
  json<T>(length: number): T {
    return JSON.parse(this.answer(length)) as T;
  }

  /** Sends a request that may be refused; crates/wasm/src/fault.rs describes refusals. */
  ask<T>(order: object, call: () => number, refusal: (fault: Note) => Error): T {
    this.give(JSON.stringify(order));
    const { ok, fault } = this.json<{ ok?: T; fault?: Note }>(call());
    if (fault !== undefined) throw refusal(fault);
    return ok as T;
  }

  /** Reads an answer that is a list of lines. */
  lines(length: number): string[] {
    return this.answer(length)
      .split("\n")
      .filter((line) => line !== "");
  }
}

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/**
 * Compiles the module at an address, once per thread.
 * @throws {AssetError} a missing or invalid module; an invalid one is removed from the cache
 */
export function compile(
  url: string,
  read: (url: string) => Promise<Uint8Array<ArrayBuffer>>,
  forget: (url: string) => Promise<void> = async () => {},
): Promise<WebAssembly.Module> {
  let module = compiled.get(url);
  if (module === undefined) {
    module = read(url).then(async (bytes) => {
      try {
        return await WebAssembly.compile(bytes);
      } catch (cause) {
        await forget(url);
        throw new AssetError(url, true, wordsOf(cause), { cause });
      }
    });
    compiled.set(url, module);
    // A failed download may be repeated.
    module.catch(() => compiled.delete(url));
  }
  return module;
}

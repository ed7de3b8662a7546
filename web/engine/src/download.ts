import { Parts } from "./parts.js";
import { AssetError, wordsOf } from "./types.js";

/** What a file is known by before it has come: its length in bytes, and the beginning of its SHA-256, enough to find accidents. */
export type Fingerprint = readonly [length: number, digest: string];

/** How a file is fetched. */
export interface Fetching {
  /** What it has to be; without it, it is what comes. */
  readonly expected?: Fingerprint | undefined;
  /** Where parts of it are kept. */
  readonly cache?: Cache | undefined;
  /** Called with the bytes that have come, and all that will if that is known; with each hundredth part or so. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** Milliseconds without a byte after which a connection is taken for dead. */
  readonly patience?: number;
  /** Milliseconds between two tries; twice as many after each that brings nothing. */
  readonly pause?: number;
}

/** Tries in a row that bring nothing, until it is given up. */
const TRIES = 4;
/** Bytes that count as something. */
const SOMETHING = 1 << 12;
/** Milliseconds for the end of an answer of which all bytes have come: one that ends is kept by the browser. */
const FOR_THE_END = 500;

/** A digest can be made on pages that are secure, and nowhere else. */
const digests = (): SubtleCrypto | undefined => globalThis.crypto?.subtle;

/** Why bytes are not the file that is wanted. */
async function faultOf(bytes: Uint8Array<ArrayBuffer>, expected: Fingerprint | undefined): Promise<string | undefined> {
  if (expected === undefined) return undefined;
  const [length, digest] = expected;
  if (bytes.length !== length) return `${bytes.length} bytes, expected ${length}`;
  const found = await digests()?.digest("SHA-256", bytes);
  if (found === undefined) return undefined;
  const text = btoa(String.fromCharCode(...new Uint8Array(found)));
  return text.startsWith(digest) ? undefined : "its digest is wrong";
}

/**
 * Fetches a file. A connection that is cut is followed by another that asks for the rest, here and at the next call; where the
 * server gives no rest, or another file lies there now, the whole file is fetched. What is not the file that is expected is
 * thrown away and fetched anew, once.
 * @throws {AssetError} it is not there, cannot be had to its end, or is another file
 */
export async function download(url: string, fetching: Fetching = {}): Promise<Uint8Array<ArrayBuffer>> {
  const parts = await Parts.open(url, fetching.cache);
  const receive = async (cache: RequestCache) => {
    await new Receiver(url, parts, fetching, cache).receive();
    const bytes = parts.bytes();
    const fault = await faultOf(bytes, fetching.expected);
    await parts.clear();
    return { bytes, fault };
  };
  let { bytes, fault } = await receive("default");
  // The browser may have a damaged file, too.
  if (fault !== undefined) ({ bytes, fault } = await receive("reload"));
  if (fault !== undefined) throw new AssetError(url, true, fault);
  return bytes;
}

/** A tag that tells every byte: a weak one does not, nor does one of a body that was packed on the way. */
function tagOf({ headers }: Response): string | undefined {
  const tag = headers.get("ETag");
  return tag === null || tag.startsWith("W/") || headers.has("Content-Encoding") ? undefined : tag;
}

/** The bytes that an answer announces, if it does. */
function announced({ headers }: Response): number | undefined {
  const length = headers.get("Content-Length");
  return length === null ? undefined : Number(length);
}

/** Receives a file in as many answers as it takes. */
class Receiver {
  /** Whether the server is asked for rests: not any more after one that was wrong. */
  #asksForRest = true;
  /** Whether there has been an answer. */
  #isAnswered = false;
  #total: number | undefined;
  #told = -1;

  constructor(
    readonly url: string,
    readonly parts: Parts,
    readonly fetching: Fetching,
    readonly cache: RequestCache,
  ) {}

  async receive(): Promise<void> {
    const { parts, fetching } = this;
    let [farthest, failures] = [parts.received, 0];
    // All of it may have come before, by a page that was left then.
    while (parts.received === 0 || parts.received !== fetching.expected?.[0]) {
      try {
        await this.#answer();
        return;
      } catch (error) {
        if (parts.received === fetching.expected?.[0]) return;
        await parts.save();
        if (error instanceof AssetError) throw error;
        if (parts.received >= farthest + SOMETHING) [farthest, failures] = [parts.received, 0];
        failures += 1;
        // Without a network there is nothing to wait for.
        if (failures === TRIES || !this.#isAnswered) throw new AssetError(this.url, false, wordsOf(error), { cause: error });
        await new Promise((resolve) => setTimeout(resolve, (fetching.pause ?? 250) * 2 ** failures));
      }
    }
  }

  /** Whether the end will tell if the bytes belong together. */
  get #isSure(): boolean {
    return this.fetching.expected !== undefined && digests() !== undefined;
  }

  /** Asks once, for the rest if there is something, and takes what comes. */
  async #answer(): Promise<void> {
    const { parts, url, cache } = this;
    const isRestKnown = this.#asksForRest && (parts.tag !== undefined || this.#isSure);
    if (!isRestKnown) await parts.clear();
    const headers: Record<string, string> = {};
    if (parts.received > 0) headers["Range"] = `bytes=${parts.received}-`;
    if (parts.tag !== undefined) headers["If-Range"] = parts.tag;
    const control = new AbortController();
    const { patience = 30_000 } = this.fetching;
    let watch: ReturnType<typeof setTimeout> | undefined;
    const wait = (time: number) => {
      clearTimeout(watch);
      watch = setTimeout(() => control.abort(new Error("nothing comes any more")), time);
    };
    wait(patience);
    try {
      const response = await fetch(url, { headers, cache, signal: control.signal });
      this.#isAnswered = true;
      await this.#begin(response);
      await this.#take(response, (isAll) => wait(isAll ? Math.min(patience, FOR_THE_END) : patience));
    } finally {
      clearTimeout(watch);
      // Of no use any more; nothing happens to what has ended.
      control.abort();
    }
  }

  /** Looks whether an answer goes on where the parts end; begins anew where it is whole. */
  async #begin(response: Response): Promise<void> {
    const { parts } = this;
    const { ok, status, statusText } = response;
    if (parts.received > 0 && (status === 416 || (status === 206 && !this.#goesOn(response)))) {
      this.#asksForRest = false;
      throw new Error("another part of the file than the rest");
    }
    // What has come is worth keeping: this may pass.
    if (!ok) throw new AssetError(this.url, false, `${status} ${statusText}`.trimEnd());
    if (status !== 206) await parts.clear();
    parts.tag ??= tagOf(response);
  }

  #goesOn({ headers }: Response): boolean {
    const range = headers.get("Content-Range");
    // Another origin may keep it to itself.
    if (range === null) return this.#isSure;
    const [, begin, , total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? [];
    const expected = this.fetching.expected?.[0];
    const isWhole = total === "*" || expected === undefined || Number(total) === expected;
    return Number(begin) === this.parts.received && isWhole && !headers.has("Content-Encoding");
  }

  /** Takes what an answer brings. */
  async #take(response: Response, wait: (isAll: boolean) => void): Promise<void> {
    const { parts } = this;
    const begin = parts.received;
    const isPacked = response.headers.has("Content-Encoding");
    const length = announced(response);
    const expected = this.fetching.expected?.[0];
    this.#total = expected ?? (length === undefined || isPacked ? undefined : begin + length);
    const reader = response.body?.getReader();
    this.#tell();
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done) break;
      parts.add(value as Uint8Array<ArrayBuffer>);
      this.#tell();
      // Whatever length it has announced.
      if (expected !== undefined && parts.received > expected) return;
      wait(parts.received === expected);
    }
    const isEnd = length === undefined ? expected === undefined : isPacked || length === parts.received - begin;
    if (!isEnd) throw new Error("the connection was cut");
  }

  #tell(): void {
    const [{ received }, total = 0] = [this.parts, this.#total];
    const step = this.#told < 0 ? 0 : total / 100;
    // Less than before: it has begun anew.
    if (received >= this.#told && received < this.#told + step && received !== total) return;
    this.#told = received;
    this.fetching.onProgress?.(received, this.#total);
  }
}

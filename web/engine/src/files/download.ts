import { Parts } from "./parts.js";
import { AssetError, wordsOf } from "../types.js";

/**
 * Identifies a file before download: its length in bytes, and the beginning of its SHA-256, enough to detect accidents.
 */
export type Fingerprint = readonly [length: number, digest: string];

/** Options of a download. */
export interface Fetching {
  /** The expected file; without it any file is accepted. */
  readonly expected?: Fingerprint | undefined;
  /** Cache for partial downloads. */
  readonly cache?: Cache | undefined;
  /** Called with the received bytes, and the total if known, about once per hundredth. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** Milliseconds without data after which a connection counts as dead. */
  readonly patience?: number;
  /** Milliseconds between two attempts; doubled after each attempt without progress. */
  readonly pause?: number;
}

/** Maximum consecutive attempts without progress. */
const TRIES = 4;
/** Bytes that count as progress. */
const SOMETHING = 1 << 12;
/** Milliseconds to wait for the end of a complete answer: browsers cache only ended answers. */
const FOR_THE_END = 500;

/** Digests are available only on secure pages. */
const digests = (): SubtleCrypto | undefined => globalThis.crypto?.subtle;

/** Returns why bytes are not the expected file. */
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
 * Downloads a file. After a cut connection the rest is requested again, within this call and in the next. The whole
 * file is fetched if the server does not send the rest or now has another file. An unexpected file is discarded and
 * fetched again, once.
 * @throws {AssetError} a missing, incomplete or unexpected file
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
  // The browser's cache may be damaged, too.
  if (fault !== undefined) ({ bytes, fault } = await receive("reload"));
  if (fault !== undefined) throw new AssetError(url, true, fault);
  return bytes;
}

/** Returns a strong ETag that covers every byte: not a weak one, and not that of a body compressed in transit. */
function tagOf({ headers }: Response): string | undefined {
  const tag = headers.get("ETag");
  return tag === null || tag.startsWith("W/") || headers.has("Content-Encoding") ? undefined : tag;
}

/** Returns the announced length of an answer, if any. */
function announced({ headers }: Response): number | undefined {
  const length = headers.get("Content-Length");
  return length === null ? undefined : Number(length);
}

/** Receives a file in as many answers as necessary. */
class Receiver {
  /** Whether to request rests: not after a wrong one. */
  #asksForRest = true;
  /** Whether any answer has arrived. */
  #isAnswered = false;
  #total: number | undefined;
  #reported = -1;

  constructor(
    readonly url: string,
    readonly parts: Parts,
    readonly fetching: Fetching,
    readonly cache: RequestCache,
  ) {}

  async receive(): Promise<void> {
    const { parts, fetching } = this;
    let [farthest, failures] = [parts.received, 0];
    // An earlier page may have received all of it.
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
        // Without a network waiting is pointless.
        if (failures === TRIES || !this.#isAnswered) throw new AssetError(this.url, false, wordsOf(error), { cause: error });
        await new Promise((resolve) => setTimeout(resolve, (fetching.pause ?? 250) * 2 ** failures));
      }
    }
  }

  /** Whether the final check can detect mixed bytes. */
  get #isSure(): boolean {
    return this.fetching.expected !== undefined && digests() !== undefined;
  }

  /** Sends one request, for the rest if there is a beginning, and receives the answer. */
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
      // No longer needed; aborting an ended answer does nothing.
      control.abort();
    }
  }

  /** Checks that an answer continues the received parts; starts over for a whole file. */
  async #begin(response: Response): Promise<void> {
    const { parts } = this;
    const { ok, status, statusText } = response;
    if (parts.received > 0 && (status === 416 || (status === 206 && !this.#goesOn(response)))) {
      this.#asksForRest = false;
      throw new Error("another part of the file than the rest");
    }
    // Received data is kept: this error may be temporary.
    if (!ok) throw new AssetError(this.url, false, `${status} ${statusText}`.trimEnd());
    if (status !== 206) await parts.clear();
    parts.tag ??= tagOf(response);
  }

  #goesOn({ headers }: Response): boolean {
    const range = headers.get("Content-Range");
    // Another origin may hide the header.
    if (range === null) return this.#isSure;
    const [, begin, , total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? [];
    const expected = this.fetching.expected?.[0];
    const isWhole = total === "*" || expected === undefined || Number(total) === expected;
    return Number(begin) === this.parts.received && isWhole && !headers.has("Content-Encoding");
  }

  /** Receives the body of an answer. */
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
      // Regardless of the announced length.
      if (expected !== undefined && parts.received > expected) return;
      wait(parts.received === expected);
    }
    const isEnd = length === undefined ? expected === undefined : isPacked || length === parts.received - begin;
    if (!isEnd) throw new Error("the connection was cut");
  }

  #tell(): void {
    const [{ received }, total = 0] = [this.parts, this.#total];
    const step = this.#reported < 0 ? 0 : total / 100;
    // Fewer bytes than before: the download has started over.
    if (received >= this.#reported && received < this.#reported + step && received !== total) return;
    this.#reported = received;
    this.fetching.onProgress?.(received, this.#total);
  }
}

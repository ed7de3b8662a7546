import { type Piece, PIECE, type Pieces, type Version } from "./pieces.js";
import { type TableReading, wordsOf } from "../types.js";

/** Bytes of a file, from an offset on. */
export interface Range {
  readonly from: number;
  readonly length: number;
}

/** A range that has arrived. */
export interface Part {
  readonly from: number;
  /** Bytes of the whole file. */
  readonly total: number;
  readonly bytes: Uint8Array;
}

/** The error for a file of which the host has another version than before. */
export class Replaced extends Error {}

/** Milliseconds after which a host does not answer. */
const PATIENCE = 10_000;
/** Bytes that are fetched along with those around them: a browser has six connections, and a request takes as long. */
const GAP = 32 * PIECE;
/** Offset of a compact table's own length, which is all that is known if another origin hides its headers. */
const OWN_LENGTH = 24;

/** Returns what the host says of a version; empty if it says nothing, or hides that from other origins. */
const tagOf = ({ headers }: Response): string => headers.get("ETag") ?? headers.get("Last-Modified") ?? "";

/** Returns the length that a compact table states. */
const statedLength = ({ buffer }: Uint8Array<ArrayBuffer>): number =>
  buffer.byteLength < OWN_LENGTH + 8 ? 0 : Number(new DataView(buffer).getBigUint64(OWN_LENGTH, true));

/** The numbers of the pieces with a range. */
function* numbersIn({ from, length }: Range): Generator<number> {
  for (let number = Math.floor(from / PIECE); number * PIECE < from + length; number++) yield number;
}

/** Returns ranges with these pieces, and those in small gaps between them. */
function together(numbers: readonly number[]): Range[] {
  const runs: { from: number; length: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const [last, from] = [runs.at(-1), number * PIECE];
    if (last !== undefined && from <= last.from + last.length + GAP) last.length = from + PIECE - last.from;
    else runs.push({ from, length: PIECE });
  }
  return runs;
}

/** A file on a host that sends parts of it. */
export class RangedFile {
  #version: Version | undefined;
  /** Whether the stored pieces may be of another version. */
  #isReplaced = false;
  #requests = 0;
  #received = 0;

  constructor(
    readonly address: string,
    readonly pieces: Pieces,
    readonly patience = PATIENCE,
  ) {}

  /** Describes what was read since the last call. */
  reading(): TableReading {
    const reading = { address: this.address, requests: this.#requests, received: this.#received };
    this.#requests = this.#received = 0;
    return reading;
  }

  /**
   * Reads ranges that begin and end with pieces, or with the file. All parts are of one version. A range beyond the end
   * is shortened.
   * @throws {Replaced} once for each new version; its first part is not of the older one
   * @throws when the host does not send them
   */
  async read(ranges: readonly Range[]): Promise<Part[]> {
    const here = new Map<number, Uint8Array<ArrayBuffer>>();
    const take = (pieces: readonly Piece[]) => {
      for (const piece of pieces) {
        this.#version ??= { tag: piece.tag, total: piece.total };
        if (this.#isCurrent(piece)) here.set(piece.number, piece.bytes);
      }
    };
    // After a change only an answer shows what is current.
    const isKnown = this.#version !== undefined || !this.#isReplaced;
    const wanted = ranges.flatMap((range) => [...numbersIn(range)]);
    if (isKnown) take(await this.pieces.read(this.address, wanted));
    const missing = wanted.filter((number) => !here.has(number) && !this.#isBeyond(number));
    const fetched = await Promise.all(together(missing).map((range) => this.#fetch(range)));
    this.#version ??= fetched[0]?.[0];
    if (fetched.flat().some((piece) => !this.#isCurrent(piece))) throw this.#replaced();
    take(fetched.flat());
    void this.pieces.write(fetched.flat());
    return ranges.map((range) => this.#part(range, here));
  }

  #isCurrent({ tag, total }: Version): boolean {
    return tag === this.#version?.tag && total === this.#version.total;
  }

  #replaced(): Replaced {
    this.#version = undefined;
    this.#isReplaced = true;
    return new Replaced("the file was replaced again and again, expected one");
  }

  #isBeyond(number: number): boolean {
    return this.#version !== undefined && number * PIECE >= this.#version.total;
  }

  #part({ from, length }: Range, here: ReadonlyMap<number, Uint8Array>): Part {
    const total = this.#version?.total ?? 0;
    const bytes = new Uint8Array(Math.max(0, Math.min(length, total - from)));
    for (let at = 0; at < bytes.length; at += PIECE)
      bytes.set((here.get((from + at) / PIECE) as Uint8Array).subarray(0, bytes.length - at), at);
    return { from, total, bytes };
  }

  /** Fetches the pieces of a range. */
  async #fetch({ from, length }: Range): Promise<Piece[]> {
    const control = new AbortController();
    const watch = setTimeout(() => control.abort(new Error(`no answer for ${this.patience / 1000} s`)), this.patience);
    try {
      const headers = { Range: `bytes=${from}-${from + length - 1}` };
      this.#requests += 1;
      // The pieces are stored here, and not in the browser's cache as well.
      const response = await fetch(this.address, { headers, cache: "no-store", signal: control.signal });
      const stated = this.#check(response, from);
      const bytes = new Uint8Array(await response.arrayBuffer());
      this.#received += bytes.length;
      const total = stated ?? this.#version?.total ?? (bytes.length < length ? bytes.length : statedLength(bytes));
      if (bytes.length !== Math.min(length, total - from))
        throw new Error(`${bytes.length} bytes from ${from} on of ${total}, expected ${length}`);
      return this.#cut(bytes, from, { tag: tagOf(response), total });
    } catch (error) {
      // An answer of the wrong kind is not read to its end.
      const reason: unknown = control.signal.reason ?? (error as Error).cause;
      control.abort();
      throw error instanceof Replaced ? error : new Error(wordsOf(reason ?? error) || wordsOf(error));
    } finally {
      clearTimeout(watch);
    }
  }

  /**
   * Checks the headers of an answer; returns the length of the file, unless another origin hides it.
   * @throws when it is not the part that begins here
   */
  #check({ status, statusText, headers }: Response, from: number): number | undefined {
    // The file has become shorter.
    if (status === 416 && this.#version !== undefined) throw this.#replaced();
    if (status === 200) throw new Error("the host sends the whole file, expected a part of it (Range)");
    if (status !== 206) throw new Error(`${status} ${statusText}`.trimEnd());
    const encoding = headers.get("Content-Encoding") ?? "identity";
    if (encoding !== "identity") throw new Error(`the host packs the file (${encoding}), expected its bytes`);
    const range = headers.get("Content-Range");
    if (range === null) return undefined;
    const [, begin, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
    if (Number(begin) !== from) throw new Error(`the host sends the range ${range}, expected it from ${from} on`);
    return Number(total);
  }

  /** Cuts bytes into pieces. */
  #cut(bytes: Uint8Array<ArrayBuffer>, from: number, version: Version): Piece[] {
    const { address } = this;
    return [...numbersIn({ from, length: bytes.length })].map((number) => {
      const at = number * PIECE - from;
      // A copy: a database stores the whole buffer of an array.
      return { ...version, address, number, bytes: bytes.slice(at, at + PIECE) };
    });
  }
}

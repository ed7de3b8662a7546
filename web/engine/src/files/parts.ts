/** Bytes written to the cache at a time: the maximum loss when a page is closed. */
const PART = 1 << 19;

/**
 * The received parts of a file. In a cache they survive the page: one part under each address `URL.part/BYTES`, where
 * BYTES is the number of bytes before it.
 */
export class Parts {
  /** Bytes so far. */
  received = 0;
  /** The server's ETag of their file; `undefined` without one that covers every byte. */
  tag: string | undefined;
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #written = 0;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly url: string,
    readonly cache: Cache | undefined,
  ) {}

  /** Opens the cached parts of a file. */
  static async open(url: string, cache: Cache | undefined): Promise<Parts> {
    const parts = new Parts(url, cache);
    for (;;) {
      const part = await cache?.match(parts.#address(parts.received));
      if (part === undefined) return parts;
      const bytes = new Uint8Array(await part.arrayBuffer());
      parts.tag = part.headers.get("ETag") ?? undefined;
      parts.#push(bytes);
      parts.#written = parts.received;
    }
  }

  #address(at: number): string {
    return `${this.url}.part/${at}`;
  }

  #push(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    this.received += chunk.length;
  }

  /** Adds received bytes. */
  add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#push(chunk);
    if (this.received - this.#written >= PART) this.#write();
  }

  #write(): void {
    const [at, { cache, tag }] = [this.#written, this];
    if (cache === undefined || at === this.received) return;
    const bytes = this.bytes().subarray(at);
    this.#written = this.received;
    const part = new Response(bytes, tag === undefined ? {} : { headers: { ETag: tag } });
    // A full disk must not stop the download.
    this.#writing = this.#writing.then(() => cache.put(this.#address(at), part)).catch(() => {});
  }

  /** Caches all received bytes, and waits until they are stored. */
  async save(): Promise<void> {
    this.#write();
    await this.#writing;
  }

  /** Returns all bytes. */
  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.received);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    // Joined only once.
    this.#chunks = [bytes];
    return bytes;
  }

  /** Deletes all parts. */
  async clear(): Promise<void> {
    await this.#writing;
    this.#chunks = [];
    for (const request of (this.#written > 0 && (await this.cache?.keys())) || []) {
      if (request.url.startsWith(this.#address(0).slice(0, -1))) await this.cache?.delete(request);
    }
    this.received = this.#written = 0;
    this.tag = undefined;
  }
}

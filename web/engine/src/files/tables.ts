import type { EngineModule } from "../wasm/module.js";
import { Pieces } from "./pieces.js";
import { type Part, type Range, RangedFile, Replaced } from "./ranges.js";
import { type TableReading, wordsOf } from "../types.js";

/** Maximum rounds of a supply: more mean that parts do not help. */
const ROUNDS = 20;

/** Supplies an engine with the parts of tables on hosts that its position needs. */
export class TableSupply {
  readonly #engine: EngineModule;
  readonly #onReading: (reading: TableReading) => void;
  readonly #pieces = new Pieces();
  readonly #files = new Map<string, RangedFile>();
  /** Faults and changes of files that the engine hears of before its next search. */
  #due: (() => void)[] = [];

  constructor(engine: EngineModule, onReading: (reading: TableReading) => void = () => {}) {
    this.#engine = engine;
    this.#onReading = onReading;
  }

  /**
   * Supplies what a search or a probe of the current position wants, until the promise resolves: then the engine may
   * run, and must not be called.
   */
  async supply(isSearch: boolean, over: Promise<void>): Promise<void> {
    const renewed = new Set<string>();
    this.#settle();
    for (let round = 1; ; round++) {
      const wanted = new Map<string, Range[]>();
      for (const { address, ...range } of this.#engine.wanted(isSearch))
        wanted.set(address, [...(wanted.get(address) ?? []), range]);
      if (wanted.size === 0) return;
      const reads = [...wanted].map(([address, ranges]) => this.#read(address, ranges, renewed));
      // What arrives later is stored for the next supply.
      const files = await Promise.race([Promise.all(reads), over]);
      if (files === undefined) return;
      this.#settle();
      for (const { address, parts } of files) {
        for (const part of parts) this.#give(address, part);
        if (round >= ROUNDS) this.#engine.lack(address, "the parts are not those that were wanted");
      }
    }
  }

  #settle(): void {
    for (const tell of this.#due.splice(0)) tell();
  }

  #give(address: string, { from, total, bytes }: Part): void {
    const fault = this.#engine.supply(address, from, total, bytes);
    if (fault !== "") this.#engine.lack(address, fault);
  }

  /** Reads ranges of a file; without them, the reason is due. */
  async #read(
    address: string,
    ranges: readonly Range[],
    renewed: Set<string>,
  ): Promise<{ address: string; parts: readonly Part[] }> {
    let file = this.#files.get(address);
    if (file === undefined) this.#files.set(address, (file = new RangedFile(address, this.#pieces)));
    try {
      return { address, parts: await file.read(ranges) };
    } catch (error) {
      const isReplaced = error instanceof Replaced;
      if (isReplaced) this.#due.push(() => this.#engine.renew(address));
      if (!isReplaced || renewed.has(address)) this.#due.push(() => this.#engine.lack(address, wordsOf(error)));
      renewed.add(address);
      return { address, parts: [] };
    } finally {
      this.#onReading(file.reading());
    }
  }
}

import type { EngineModule } from "./module.js";
import { AssetError, EngineError, wordsOf } from "./types.js";

/** Where the files of an engine come from. */
export interface Files {
  read(name: string): Promise<Uint8Array>;
  /** Where a file is looked for. */
  address(name: string): string;
  /** Forgets a file that is kept, and is not what it should be. */
  forget?(name: string): Promise<void>;
  /** Whether a file is on this machine, so that waiting for it costs nothing. */
  isNear(name: string): Promise<boolean>;
}

const TABLE = /\.(wdl|dtw)$/;

/** Whether a file is a small table: of results, or of distances. */
const isTable = (name: string): boolean => TABLE.test(name);

/** Whether a file is a carry pack. */
export const isPack = (name: string): boolean => name.endsWith(".pack");

/** Whether the engine can well do without a file: a small table or a carry pack. */
export const isExtra = (name: string): boolean => isTable(name) || isPack(name);

/** Men in the positions of a table: 7 in `morris/3-4.wdl`, 3 in `smess/B-BN.dtw`. */
export function menOfTable(name: string): number {
  const sides = name.replace(/^.*\//, "").replace(TABLE, "").split("-");
  return sides.reduce((sum, side) => sum + (Number(side) || side.length), 0);
}

/** A search waits for tables that hold the positions after its first moves, which may take one man. */
const WAIT_WITHIN = 1;
/** Tables are sent for when a search may come to look into them: so many men more than they hold. */
const FETCH_WITHIN = 4;

/**
 * Brings an engine the files that it asks for, the necessary ones first: a search waits for the network of its rules. It
 * waits for tables only if they are near or hold the position, and for carry packs only if they are near; others come while
 * it thinks of something else, packs after the first search. The engine can do without any, and says so.
 */
export class Supply {
  readonly #engine: EngineModule;
  readonly #files: Files;
  readonly #failed = new Set<string>();
  /** Tables and packs on their way, and those that have come and wait to be installed. */
  readonly #coming = new Map<string, Promise<Uint8Array>>();
  readonly #here = new Set<string>();

  constructor(engine: EngineModule, files: Files) {
    this.#engine = engine;
    this.#files = files;
  }

  /** Installs what the next command should not be without. */
  async bring(): Promise<void> {
    const names = this.#engine.missing().filter((name) => !this.#failed.has(name));
    if (names.length === 0) return;
    await Promise.all(names.filter((name) => !isExtra(name)).map((name) => this.#install(name)));
    const extras = names.filter(isExtra);
    if (extras.length === 0) return;
    const more = this.#engine.men() - Math.max(...extras.filter(isTable).map(menOfTable));
    const bring = async (name: string) => {
      const isNear = this.#here.has(name) || (await this.#files.isNear(name));
      if (isNear || (isTable(name) && more <= WAIT_WITHIN)) await this.#install(name);
      else if (isTable(name) && more <= FETCH_WITHIN) this.#send(name);
    };
    await Promise.all(extras.map(bring));
  }

  /** Sends for packs, when nobody waits for anything. */
  sendForPacks(): void {
    for (const name of this.#engine.missing()) if (isPack(name) && !this.#failed.has(name)) this.#send(name);
  }

  /** What could not be had may be asked for again. */
  forgive(): void {
    this.#failed.clear();
  }

  /** Sends for a file without waiting for it. */
  #send(name: string): void {
    if (this.#coming.has(name)) return;
    const coming = this.#files.read(name);
    this.#coming.set(name, coming);
    const arrived = () => this.#here.add(name);
    // That a table has failed is told when it is asked for in earnest, as a pack never is.
    coming.then(arrived, () => (isPack(name) ? arrived() : this.#coming.delete(name)));
  }

  async #install(name: string): Promise<void> {
    try {
      this.#engine.install(name, await (this.#coming.get(name) ?? this.#files.read(name)));
    } catch (error) {
      this.#failed.add(name);
      // What the engine refuses has been read, and is not what it should be.
      const isRefused = error instanceof EngineError;
      if (isRefused) await this.#files.forget?.(name);
      const reason = isRefused ? new AssetError(this.#files.address(name), true, error.message) : error;
      this.#engine.onLine(`info string ${name} cannot be loaded (${wordsOf(reason)}), playing without it`);
    }
    this.#coming.delete(name);
    this.#here.delete(name);
  }
}

import type { EngineModule } from "../wasm/module.js";
import { AssetError, EngineError, noteOf, type OnReading } from "../types.js";

/** The source of an engine's files. */
export interface Files {
  read(name: string): Promise<Uint8Array>;
  /** Returns the address of a file. */
  address(name: string): string;
  /** Removes an invalid file from the cache. */
  forget?(name: string): Promise<void>;
  /** Whether a file is local, so that waiting for it costs nothing. */
  isNear(name: string): Promise<boolean>;
  /** Called when parts of tables on hosts were read. */
  onReading?: OnReading | undefined;
}

const TABLE = /\.(wdl|dtw)$/;

/** Whether a file is a small table, of results or of distances. */
const isTable = (name: string): boolean => TABLE.test(name);

/** Whether a file is a carry pack. */
export const isPack = (name: string): boolean => name.endsWith(".pack");

/** Whether a file is a table of a whole game, such as `merels/17.wdl`: as large as a pack. */
const isWhole = (name: string): boolean => isTable(name) && !name.includes("-");

/** Whether no search waits for a file that is not local, however few men are left. */
const isLate = (name: string): boolean => isPack(name) || isWhole(name);

/** Whether the engine works without a file: a small table or a carry pack. */
export const isExtra = (name: string): boolean => isTable(name) || isPack(name);

/** Returns the men in the positions of a table: 7 in `morris/3-4.wdl`, 3 in `smess/B-BN.dtw`. */
export function menOfTable(name: string): number {
  const sides = name.replace(/^.*\//, "").replace(TABLE, "").split("-");
  return sides.reduce((sum, side) => sum + (Number(side) || side.length), 0);
}

/** A search waits for tables with the positions after its first moves, which may take one man. */
const WAIT_WITHIN = 1;
/** Tables are fetched when a search may reach them: up to this many more men than they have. */
const FETCH_WITHIN = 4;

/**
 * Supplies an engine with the requested files, necessary ones first: a search waits for the network of its rules. It
 * waits for tables only if they are local or hold the position, and for carry packs and tables of whole games only if
 * they are local; a probe waits for tables of whole games. Other files arrive in the background, those two after the
 * first search. The engine works without any of them, and reports it.
 */
export class FileLoader {
  readonly #engine: EngineModule;
  readonly #files: Files;
  readonly #failed = new Set<string>();
  /** Tables and packs being fetched, and those that wait to be installed. */
  readonly #coming = new Map<string, Promise<Uint8Array>>();
  readonly #here = new Set<string>();

  constructor(engine: EngineModule, files: Files) {
    this.#engine = engine;
    this.#files = files;
  }

  /** Installs the files that the next command needs, which may be a probe. */
  async load(isProbe = false): Promise<void> {
    const names = this.#engine.missing().filter((name) => !this.#failed.has(name));
    if (names.length === 0) return;
    await Promise.all(names.filter((name) => !isExtra(name)).map((name) => this.#install(name)));
    const extras = names.filter(isExtra);
    if (extras.length === 0) return;
    const more = this.#engine.men() - Math.max(...extras.filter((name) => !isLate(name)).map(menOfTable));
    const bring = async (name: string) => {
      const isNear = this.#here.has(name) || (await this.#files.isNear(name));
      const isDue = isLate(name) ? isProbe && isWhole(name) : more <= WAIT_WITHIN;
      if (isNear || isDue) await this.#install(name);
      else if (!isLate(name) && more <= FETCH_WITHIN) this.#send(name);
    };
    await Promise.all(extras.map(bring));
  }

  /** Fetches packs and tables of whole games while the engine is idle. */
  fetchPacks(): void {
    for (const name of this.#engine.missing()) if (isLate(name) && !this.#failed.has(name)) this.#send(name);
  }

  /** Allows another attempt for failed files. */
  resetFailures(): void {
    this.#failed.clear();
  }

  /** Fetches a file without waiting for it. */
  #send(name: string): void {
    if (this.#coming.has(name)) return;
    const coming = this.#files.read(name);
    this.#coming.set(name, coming);
    const arrived = () => this.#here.add(name);
    // The failure of a table is reported when it is needed, which never happens for a late file.
    coming.then(arrived, () => (isLate(name) ? arrived() : this.#coming.delete(name)));
  }

  async #install(name: string): Promise<void> {
    try {
      this.#engine.install(name, await (this.#coming.get(name) ?? this.#files.read(name)));
    } catch (error) {
      this.#failed.add(name);
      // A file that the engine refuses was read, but is invalid.
      const isRefused = error instanceof EngineError;
      if (isRefused) await this.#files.forget?.(name);
      const reason = noteOf(isRefused ? new AssetError(this.#files.address(name), true, error.message) : error);
      const why = reason.id === "" ? reason.message : { id: reason.id, values: reason.values };
      const message = `${name} cannot be loaded (${reason.message}), playing without it`;
      this.#engine.onNote({ message, id: "engine.without", values: { file: name, why } });
    }
    this.#coming.delete(name);
    this.#here.delete(name);
  }
}

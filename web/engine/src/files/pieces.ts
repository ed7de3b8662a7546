/** Bytes of a piece, except the last of a file. */
export const PIECE = 1 << 10;
/** Pieces in the browser's database: 128 MiB. */
const SLOTS = 1 << 17;
/** Pieces in memory, which a closed or full database cannot replace: 4 MiB. */
const IN_MEMORY = 1 << 12;

/** A file on a host, in one version. */
export interface Version {
  /** What distinguishes it from other versions, as far as the host shows that. */
  readonly tag: string;
  /** Its length in bytes. */
  readonly total: number;
}

/** A piece of a file. */
export interface Piece extends Version {
  readonly address: string;
  /** Its number in the file. */
  readonly number: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const result = <T>(request: IDBRequest<T> | IDBOpenDBRequest) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error);
  });

/** Milliseconds to wait for the database, which some browsers never open. */
const FOR_DATABASE = 2000;

/** Opens the database; there is none in Node, and browsers may forbid it. */
async function open(): Promise<IDBDatabase | undefined> {
  try {
    const opening = indexedDB.open("millbrain-tables");
    opening.onupgradeneeded = () => opening.result.createObjectStore("pieces");
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, FOR_DATABASE));
    const database = await Promise.race([result<IDBDatabase>(opening), late]);
    database?.addEventListener("versionchange", () => database.close());
    return database;
  } catch {
    return undefined;
  }
}

/**
 * Pieces of files, across visits. The database has a fixed number of slots, and each piece its own: its number modulo
 * the slots. So the size is bounded although nothing is ever deleted. Without a database pieces are only in memory.
 */
export class Pieces {
  readonly #memory = new Map<string, Piece>();
  readonly #database = open();

  /** Returns the pieces of a file with these numbers, as far as they are stored. */
  async read(address: string, numbers: readonly number[]): Promise<Piece[]> {
    const found = numbers.flatMap((number) => this.#memory.get(`${number} ${address}`) ?? []);
    if (found.length === numbers.length) return found;
    const known = new Set(found.map(({ number }) => number));
    try {
      const store = (await this.#database)?.transaction("pieces").objectStore("pieces");
      if (store === undefined) return found;
      const stored = numbers.map(async (number) => {
        const piece = known.has(number) ? undefined : await result<Piece | undefined>(store.get(number % SLOTS));
        return piece?.number === number && piece.address === address ? [piece] : [];
      });
      return [...found, ...(await Promise.all(stored)).flat()];
    } catch {
      return found;
    }
  }

  /** Stores pieces. */
  async write(pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) this.#memory.set(`${piece.number} ${piece.address}`, piece);
    for (const key of this.#memory.keys()) {
      if (this.#memory.size <= IN_MEMORY) break;
      this.#memory.delete(key);
    }
    try {
      const store = (await this.#database)?.transaction("pieces", "readwrite").objectStore("pieces");
      await Promise.all(pieces.map((piece) => store && result(store.put(piece, piece.number % SLOTS))));
    } catch {
      // A full disk must not prevent playing.
    }
  }
}

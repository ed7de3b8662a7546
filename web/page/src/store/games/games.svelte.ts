import { type IDBPObjectStore } from "idb";
import { inSlices } from "../../game/slices.js";
import { BATCH, CHANNEL, database, newKey, type Schema } from "./database.js";
import { type ListedGame, readListed } from "./stored.js";

/** Maximum number of played games that are kept; saved games remain until they are deleted. */
export const LAST_GAMES = 100;

/** A game stored by another version, or modified by hand: it can only be deleted. */
export interface BrokenGame {
  readonly key: IDBValidKey;
  readonly isBroken: true;
}

/** Number of stored revisions per game. Far fewer are waiting to be written. */
const REVISIONS = 16;

/**
 * The games of this device. Several windows may write them. Each write has a revision; a game whose stored revision
 * this window does not know was continued elsewhere. Then it gets a new key here, and both are kept.
 */
class Library {
  /** Latest first, while a view shows them. */
  games = $state.raw<readonly (ListedGame | BrokenGame)[]>([]);
  #watchers = 0;
  /** Whether the list is being read, and whether it may have missed a change. */
  #isReading = false;
  #isStale = false;
  #queue: Promise<unknown> = Promise.resolve();
  #channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL);
  /** Revisions by the keys of games. */
  #known = new Map<string, readonly string[]>();
  /** New keys of games that were continued elsewhere. */
  #moved = new Map<string, string>();

  constructor() {
    if (this.#channel) this.#channel.onmessage = () => void this.refresh();
  }

  /** Keeps the list up to date until the returned function is called. */
  watch(): () => void {
    this.#watchers += 1;
    void this.refresh();
    return () => {
      this.#watchers -= 1;
    };
  }

  async refresh(): Promise<void> {
    if (this.#watchers === 0) return;
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        this.games = await this.all();
      }
    } catch {
      // Without a database there are no games.
    } finally {
      this.#isReading = false;
    }
  }

  /** Returns all games, latest first. They are read in batches and checked in slices, between which the page runs. */
  async all(): Promise<(ListedGame | BrokenGame)[]> {
    const db = await database();
    const games: (ListedGame | BrokenGame)[] = [];
    const check = (data: unknown) =>
      void games.push(readListed(data) ?? { key: (data as BrokenGame).key, isBroken: true });
    let batch: readonly unknown[];
    let after: IDBKeyRange | undefined;
    do {
      // A transaction would end with the first slice.
      batch = await db.getAll("games", after, BATCH);
      await inSlices(batch, check);
      const last = games.at(-1);
      if (last !== undefined) after = IDBKeyRange.lowerBound(last.key, true);
    } while (batch.length === BATCH);
    const date = (game: ListedGame | BrokenGame) => ("saved" in game ? game.saved : 0);
    return games.sort((a, b) => date(b) - date(a));
  }

  /** Notifies all windows that games were written. */
  changed(): void {
    this.#channel?.postMessage("changed");
    void this.refresh();
  }

  /** Returns the earlier revisions of a game. */
  known(key: string): readonly string[] {
    return this.#known.get(key) ?? [];
  }

  learn(key: string, revisions: readonly string[]): void {
    this.#known.set(key, [...new Set([...this.known(key), ...revisions])].slice(-REVISIONS));
  }

  /** Writes a game; resolves to its key. The revision is known immediately. */
  keep(game: ListedGame): Promise<string> {
    const revision = newKey();
    this.learn(game.key, [revision]);
    const written = this.#queue.then(() => this.#write({ ...game, revision }));
    this.#queue = written.catch(() => {});
    return written;
  }

  /**
   * Adds the marks of a game to its stored version, if that has the same moves: names, date and all other fields
   * remain.
   */
  mark(game: ListedGame): Promise<void> {
    const marked = this.#queue.then(async () => {
      const transaction = (await database()).transaction("games", "readwrite");
      const stored = await transaction.store.get(this.#moved.get(game.key) ?? game.key);
      const isThere = stored !== undefined && content(stored) === content(game);
      if (isThere) await transaction.store.put({ ...stored, tree: plain(game.tree) });
      await transaction.done;
      if (isThere) this.changed();
    });
    this.#queue = marked.catch(() => {});
    return marked;
  }

  async #write(game: ListedGame): Promise<string> {
    const asked = this.#moved.get(game.key) ?? game.key;
    const transaction = (await database()).transaction("games", "readwrite");
    const stored = (await transaction.store.get(asked)) as Partial<ListedGame> | undefined;
    // Windows that show the same game may both store it.
    if (stored?.revision !== undefined && content(stored) === content(game))
      this.learn(asked, [stored.revision]);
    const known = [...this.known(game.key), ...this.known(asked)];
    const isOurs = stored?.revision === undefined || known.includes(stored.revision);
    const key = isOurs ? asked : newKey();
    if (!isOurs) this.#moved.set(game.key, key);
    const isThere = isOurs && stored !== undefined && content(stored) === content(game);
    // An unchanged game keeps its revision: another window may continue it.
    const revision = (isThere ? stored.revision : undefined) ?? game.revision;
    if (revision !== undefined) this.learn(key, [revision]);
    // A saved game is not pruned when play continues.
    const auto = game.auto === true && !(isOurs && stored !== undefined && stored.auto !== true);
    await transaction.store.put({ ...plain(game), key, auto, revision });
    if (auto && (stored === undefined || !isOurs)) await thin(transaction.store);
    await transaction.done;
    this.changed();
    return key;
  }

  /** Deletes a game; returns a function that restores it. */
  async drop(key: IDBValidKey): Promise<() => Promise<void>> {
    const db = await database();
    const stored = await db.get("games", key);
    await db.delete("games", key);
    this.changed();
    return async () => {
      if (stored !== undefined) await db.put("games", stored);
      this.changed();
    };
  }
}

/** Returns a plain copy for the database. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Returns the contents that identify equal games. */
function content({ rules, fen, tree, closed }: Partial<ListedGame>): string {
  const moves = tree?.nodes.map(({ parent, move }) => [parent, move]);
  return JSON.stringify([rules, fen ?? null, moves, closed ?? null]);
}

/** Deletes the oldest games that were only played. */
async function thin(store: IDBPObjectStore<Schema, ["games"], "games", "readwrite">): Promise<void> {
  if ((await store.count()) <= LAST_GAMES) return;
  let played = 0;
  for (
    let cursor = await store.index("saved").openCursor(null, "prev");
    cursor;
    cursor = await cursor.continue()
  ) {
    if (cursor.value.auto === true && ++played > LAST_GAMES) await cursor.delete();
  }
}

export const library = new Library();

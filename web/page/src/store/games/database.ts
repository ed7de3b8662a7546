import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { ListedGame } from "./stored.js";

export interface Schema extends DBSchema {
  games: { key: IDBValidKey; value: ListedGame; indexes: { saved: number } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

/** Opens the database of this device's games, shared by windows and workers. */
export function database(): Promise<IDBPDatabase<Schema>> {
  if (opened === undefined) {
    const opening = openDB<Schema>("millbrain", 1, {
      upgrade: (db) => {
        db.createObjectStore("games", { keyPath: "key" }).createIndex("saved", "saved");
      },
    });
    opened = opening;
    // A failed attempt may succeed the next time.
    opening.catch(() => (opened = undefined));
  }
  return opened;
}

/** Returns a key for a new game. `crypto.randomUUID` is missing on pages that are not secure. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** Games read or written before the page gets its turn. */
export const BATCH = 50;

/** Name of the channel that announces writes. */
export const CHANNEL = "millbrain.games";

/** Writes new games, all or none. */
export async function addGames(games: readonly ListedGame[]): Promise<void> {
  const transaction = (await database()).transaction("games", "readwrite");
  // The requests report errors, too.
  transaction.done.catch(() => {});
  for (let i = 0; i < games.length; i += BATCH)
    await Promise.all(games.slice(i, i + BATCH).map((game) => transaction.store.put(game)));
  await transaction.done;
}

import { type Kept, type Players, readKept as read } from "./stored.js";

const KEY = "millbrain.game";

/**
 * Writes to web storage rather than the database: the write is complete when this returns, even if the page is closing.
 * Each window continues its own game; a new window the one played last.
 */
export function writeKept(kept: Kept & { players: Players }): void {
  const text = JSON.stringify(kept);
  for (const storage of storages()) {
    try {
      storage.setItem(KEY, text);
    } catch {
      // It is full. An older game would be worse than none: the database has this one.
      storage.removeItem(KEY);
    }
  }
}

/** Reads the players and, if readable, the game that were stored when the page was left. */
export function readKept(): ReturnType<typeof read> {
  const texts = storages().map((storage) => storage.getItem(KEY));
  return read(texts.find((text) => text !== null) ?? null);
}

/** Returns the storage of this window, and of all. A browser may forbid both. */
function storages(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}

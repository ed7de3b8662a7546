import { type Kept, type Players, readKept as read } from "./stored.js";

const KEY = "millbrain.game";

/**
 * Storage of the page rather than the database: it is written before this returns, whatever happens to the page then.
 * Each window goes on with its own game; a new one with the one that was played last.
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

/** The players and, if it can be read, the game that were there when the page was left. */
export function readKept(): ReturnType<typeof read> {
  const texts = storages().map((storage) => storage.getItem(KEY));
  return read(texts.find((text) => text !== null) ?? null);
}

/** Of this window, and of all. A browser may forbid both. */
function storages(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}

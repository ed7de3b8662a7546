import type { Ruleset } from "millbrain";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Outcome } from "../game/text.js";
import type { Tree } from "../game/tree.js";

/** A game as it is kept, with all its variations. */
export interface KeptGame {
  /** Says which game it is; saving it again replaces it. */
  readonly key: string;
  readonly saved: number;
  readonly rules: Ruleset;
  readonly fen?: string;
  readonly tree: Tree;
  readonly at: number;
  readonly white: string;
  readonly black: string;
  readonly outcome?: Outcome;
  readonly reason?: string;
  readonly resigned?: { readonly node: number; readonly side: "white" | "black" };
  readonly plies: number;
}

interface Schema extends DBSchema {
  games: { key: string; value: KeptGame; indexes: { saved: number } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

function database(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>("millbrain", 1, {
    upgrade: (db) => {
      db.createObjectStore("games", { keyPath: "key" }).createIndex("saved", "saved");
    },
  });
  return opened;
}

/** All kept games, the latest first. */
export async function keptGames(): Promise<KeptGame[]> {
  return (await (await database()).getAllFromIndex("games", "saved")).reverse();
}

export async function keepGame(game: KeptGame): Promise<void> {
  await (await database()).put("games", game);
}

export async function dropGame(key: string): Promise<void> {
  await (await database()).delete("games", key);
}

/** A key for a new game. `crypto.randomUUID` is missing on pages that are not secure. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

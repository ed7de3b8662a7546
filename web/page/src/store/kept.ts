import type { Ruleset, Side } from "millbrain";
import { isTree, type Tree } from "../game/tree.js";
import type { Player } from "./players.js";

const KEY = "millbrain.game";

/** The game on the board, as it outlives the page. */
export interface Kept {
  rules: Ruleset;
  fen?: string;
  tree: Tree;
  at: number;
  players: Record<Side, Player>;
  resigned?: { node: number; side: Side };
  auto: boolean;
  paused: boolean;
  key: string;
}

/** Storage of the page rather than the database: it is written before this returns, whatever happens to the page then. */
export function writeKept(kept: Kept): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Without storage there is nothing to be done.
  }
}

/** The players and, if it can be read, the game that were there when the page was left. */
export function readKept(): { players?: Record<Side, Player>; game?: Kept } {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as Kept | null;
    const players = kept?.players?.white && kept.players.black ? { players: kept.players } : {};
    const isGame = kept !== null && isTree(kept.tree) && kept.tree.nodes[kept.at] !== undefined;
    return { ...players, ...(isGame ? { game: kept } : {}) };
  } catch {
    return {};
  }
}

import { writeLink } from "../game/share.js";
import { moves } from "../game/tree.js";
import { session } from "./session.svelte.js";

/** The address that opens the line on the board. */
export function linkToGame(): string {
  const { rules, fen, tree } = session;
  const link = writeLink({ rules, moves: moves(tree, session.lineEnd()), ...(fen ? { fen } : {}) });
  return new URL(link, document.baseURI).href;
}

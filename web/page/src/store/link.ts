import { writeLink } from "../game/share.js";
import { moves } from "../game/tree.js";
import { session } from "./session.svelte.js";

/** The address that opens the line on the board. */
export function linkToGame(): string {
  const { rules, fen, tree, players, closed } = session;
  const at = session.lineEnd();
  // Somebody's name is worth telling; that there was a computer is not.
  const isNamed = session.names !== undefined || [players.white, players.black].some(({ name }) => name);
  const link = writeLink({
    rules,
    moves: moves(tree, at),
    ...(fen ? { fen } : {}),
    ...(isNamed ? { names: { white: session.nameOf("white"), black: session.nameOf("black") } } : {}),
    ...(closed?.node === at ? { end: closed } : {}),
  });
  return new URL(link, document.baseURI).href;
}

import { writeLink } from "../../game/share.js";
import { moves } from "../../game/tree.js";
import { session } from "../session.svelte.js";

/** Returns the address that opens the line on the board. */
export function linkToGame(): string {
  const { rules, fen, tree, players, closed } = session;
  const at = session.lineEnd();
  // A person's name is included; a computer is not mentioned.
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

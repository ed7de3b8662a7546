import { type GameEnd, type GameFormat, type GameText, NotationError } from "millbrain";
import { rules as engineRules } from "../../engine/rules.js";
import { moves, path } from "../../game/tree.js";
import { lineOf, nodesOf, ofRules } from "../../game/text.js";
import { timeControl } from "../../game/players.js";
import { session } from "../session.svelte.js";

/** Returns the game on the board for files: the line on the board, or all variations. */
export function currentText({ variations = false } = {}): GameText {
  const { rules, fen, tree, closed, players, names } = session;
  const control = session.clock?.control;
  const end = session.lineEnd();
  const { ending } = engineRules().state(rules, { fen, moves: moves(tree, end) });
  return {
    ...rules,
    white: session.nameOf("white"),
    black: session.nameOf("black"),
    // Thinking times of others are unknown.
    ...(names ? {} : { times: [timeControl(players.white, control), timeControl(players.black, control)] }),
    ...(fen === undefined ? {} : { fen }),
    nodes: variations ? nodesOf(tree) : lineOf(path(tree, end)),
    ...(closed?.node === end ? { end: endOf(closed) } : ending ? { end: ofRules(ending) } : {}),
  };
}

const endOf = ({ outcome, reason, termination }: GameEnd): GameEnd => ({ outcome, reason, termination });

export function exportAs(format: GameFormat): string {
  return engineRules().writeGame(currentText({ variations: format === "sgf" || format === "pgn" }), format);
}

const FORMATS = ["record", "pgn", "sgf", "sanmill", "mif"] as const satisfies readonly GameFormat[];

/** Returns the game on the board in each form that can express it. */
export function exports(): ReadonlyMap<GameFormat, string> {
  const texts = new Map<GameFormat, string>();
  for (const format of FORMATS) {
    try {
      texts.set(format, exportAs(format));
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
    }
  }
  return texts;
}

import { type GameEnd, type GameFormat, type GameText, NotationError, type Ruleset } from "millbrain";
import { rules as engineRules } from "../../engine/rules.js";
import { leaf, moves, nodeOf, path, ROOT, type TreeNode } from "../../game/tree.js";
import { lineOf, nodesOf, ofRules } from "../../game/text.js";
import { timeControl } from "../../game/players.js";
import { session } from "../session.svelte.js";

/** Returns the last node of the main line, or the node on it where the game was ended. */
function mainEnd(): number {
  const { tree, closed } = session;
  const isFirst = ({ id, parent }: TreeNode) => nodeOf(tree, parent).children[0] === id;
  return closed && path(tree, closed.node).every(isFirst) ? closed.node : leaf(tree, ROOT);
}

/** Returns the game on the board for files: the line on the board, or all variations. */
export function currentText({ variations = false } = {}): GameText {
  const { rules, fen, tree, closed, players, names, facts } = session;
  const control = session.clock?.control;
  const { comment } = nodeOf(tree, ROOT);
  const end = variations ? mainEnd() : session.lineEnd();
  const { ending } = engineRules().state(rules, { fen, moves: moves(tree, end) });
  return {
    ...rules,
    white: session.nameOf("white"),
    black: session.nameOf("black"),
    // Thinking times of others are unknown.
    ...(names ? {} : { times: [timeControl(players.white, control), timeControl(players.black, control)] }),
    ...facts,
    ...(comment ? { comment } : {}),
    ...(fen === undefined ? {} : { fen }),
    nodes: variations ? nodesOf(tree) : lineOf(path(tree, end)),
    ...(closed?.node === end ? { end: endOf(closed) } : ending ? { end: ofRules(ending) } : {}),
  };
}

const endOf = ({ outcome, reason, termination }: GameEnd): GameEnd => ({ outcome, reason, termination });

/** The forms that have variations; the others have the line on the board. */
const WITH_VARIATIONS: readonly GameFormat[] = ["record", "pgn", "sgf"];

export function exportAs(format: GameFormat): string {
  return engineRules().writeGame(currentText({ variations: WITH_VARIATIONS.includes(format) }), format);
}

const FORMATS = ["record", "pgn", "sgf", "sanmill", "mif"] as const satisfies readonly GameFormat[];

/** Returns the forms that can express games by these rules from this position: not all forms have all rules. */
export function formatsOf(rules: Ruleset, fen: string | undefined): GameFormat[] {
  const game: GameText = { ...rules, white: "", black: "", ...(fen === undefined ? {} : { fen }), nodes: [] };
  return FORMATS.filter((format) => {
    try {
      engineRules().writeGame(game, format);
      return true;
    } catch (error) {
      if (error instanceof NotationError) return false;
      throw error;
    }
  });
}

import { type Ruleset } from "millbrain";
import { Fault } from "./fault.js";
import { readRecords } from "./record.js";
import { readSanmill } from "./sanmill.js";
import { readSgf } from "./sgf.js";
import { line, type Tree, update } from "./tree.js";
import type { GameText } from "./text.js";

export type Format = "record" | "sgf" | "sanmill";

export interface Imported {
  readonly game: GameText;
  readonly tree: Tree;
}

/** Reads a text in whichever format it is; a bare list of moves is played by the given rules. */
export function readGames(text: string, rules: Ruleset): { format: Format; games: Imported[] } {
  const body = text.replace(/^\uFEFF/, "").trim();
  if (body.startsWith("(")) return { format: "sgf", games: [readSgf(body)] };
  if (/^\[(Event|Variant|Game|White)\b/.test(body) && /\[Variant "/.test(body)) {
    return { format: "record", games: readRecords(body).map((game) => ({ game, tree: treeOf(game) })) };
  }
  const moves = readSanmill(body, rules).map((move) => ({ move }));
  if (moves.length === 0) throw new Fault("fault.noMoves");
  const game: GameText = {
    variant: rules.variant,
    options: rules.options ?? {},
    white: "",
    black: "",
    moves,
  };
  return { format: "sanmill", games: [{ game, tree: treeOf(game) }] };
}

function treeOf(game: GameText): Tree {
  let [tree] = line(game.moves.map(({ move }) => move));
  game.moves.forEach(({ said, time }, i) => {
    tree = update(tree, i + 1, { ...(said ? { said } : {}), ...(time === undefined ? {} : { time }) });
  });
  return tree;
}

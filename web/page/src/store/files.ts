import { type Ruleset } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { type Format, type Imported, readGames } from "../game/import.js";
import { writeRecord } from "../game/record.js";
import { writeSanmill } from "../game/sanmill.js";
import { writeSgf } from "../game/sgf.js";
import { leaf, moves, nodeOf, path, ROOT, type Tree } from "../game/tree.js";
import type { GameText } from "../game/text.js";
import { ruleset } from "../game/variants.js";
import { type KeptGame, keepGame, newKey } from "./games.js";
import { timeControl } from "./players.js";
import { session } from "./session.svelte.js";
import { playerText } from "../panels/words.js";

/** The outcome of the line that ends at this node. */
function ending(
  rules: Ruleset,
  fen: string | undefined,
  tree: Tree,
  id: number,
  resigned: KeptGame["resigned"],
): Pick<GameText, "outcome" | "reason" | "resigned"> {
  if (resigned?.node === id) {
    const winner = resigned.side === "white" ? "black" : "white";
    return { outcome: winner, reason: `${resigned.side} resigns`, resigned: resigned.side } as const;
  }
  const { ending } = engineRules().state(rules, { fen, moves: moves(tree, id) });
  return ending ? { outcome: ending.winner ?? "draw", reason: ending.reason } : {};
}

/** The line through the position on the board, to its end. */
export function lineEnd(): number {
  return session.resigned && path(session.tree, session.resigned.node).some((node) => node.id === session.at)
    ? session.resigned.node
    : leaf(session.tree, session.at);
}

/** The game on the board as it goes to files. */
export function currentText(): GameText {
  const { rules, fen, tree, resigned, players } = session;
  const end = lineEnd();
  return {
    variant: rules.variant,
    options: rules.options ?? {},
    white: playerText(players.white),
    black: playerText(players.black),
    whiteTime: timeControl(players.white),
    blackTime: timeControl(players.black),
    ...(fen === undefined ? {} : { fen }),
    moves: path(tree, end).map(({ move, time, said }) => ({
      move,
      ...(time === undefined ? {} : { time }),
      ...(said ? { said } : {}),
    })),
    ...ending(rules, fen, tree, end, resigned),
  };
}

export function exportAs(format: Format): string {
  const game = currentText();
  if (format === "record") return writeRecord(game);
  if (format === "sgf") return writeSgf(game, session.tree);
  return writeSanmill(game.moves.map(({ move }) => move));
}

/** Keeps the game on the board in the browser. */
export async function keepCurrent(): Promise<void> {
  const { rules, fen, tree, at, key, resigned } = session;
  const game = currentText();
  await keepGame({
    key,
    saved: Date.now(),
    rules,
    // Plain copies: the database does not take objects that are watched.
    tree: JSON.parse(JSON.stringify(tree)) as Tree,
    at,
    white: game.white,
    black: game.black,
    plies: game.moves.length,
    ...(fen === undefined ? {} : { fen }),
    ...(game.outcome ? { outcome: game.outcome, reason: game.reason ?? "" } : {}),
    ...(resigned ? { resigned } : {}),
  });
}

function toKept({ game, tree }: Imported): KeptGame {
  const rules = ruleset(game.variant, game.options);
  const end = leaf(tree, ROOT);
  for (const node of tree.nodes) {
    if (node.children.length === 0)
      engineRules().state(rules, { fen: game.fen, moves: moves(tree, node.id) });
  }
  const resigned = game.resigned ? { node: end, side: game.resigned } : undefined;
  return {
    key: newKey(),
    saved: Date.now(),
    rules,
    tree,
    at: end,
    white: game.white || "–",
    black: game.black || "–",
    plies: nodeOf(tree, end).id === ROOT ? 0 : moves(tree, end).length,
    ...(game.fen === undefined ? {} : { fen: game.fen }),
    ...(resigned ? { resigned } : {}),
    ...ending(rules, game.fen, tree, end, resigned),
  } as KeptGame;
}

/** Reads games, keeps all of them, and opens the first. */
export async function importText(text: string): Promise<number> {
  const { games } = readGames(text, session.rules);
  const kept = games.map(toKept);
  if (kept.length > 1) for (const game of kept) await keepGame(game);
  if (kept[0]) session.open(kept[0]);
  return kept.length;
}

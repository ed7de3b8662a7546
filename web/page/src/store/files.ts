import type { State } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { type Format, type Imported, readGames } from "../game/import.js";
import { writeRecord } from "../game/record.js";
import { writeSanmill } from "../game/sanmill.js";
import { writeSgf } from "../game/sgf.js";
import { leaf, moves, path, ROOT } from "../game/tree.js";
import { type GameEnd, type GameText, ofRules } from "../game/text.js";
import { ruleset } from "../game/variants.js";
import { t } from "../i18n/index.svelte.js";
import { library, newKey } from "./games.svelte.js";
import { timeControl } from "./players.js";
import { checkGame, type Closed, session } from "./session.svelte.js";
import type { ListedGame } from "./stored.js";
import { playerText } from "../panels/words.js";

/** The game on the board as it goes to files. */
export function currentText(): GameText {
  const { rules, fen, tree, closed, players } = session;
  const end = session.lineEnd();
  const { ending } = engineRules().state(rules, { fen, moves: moves(tree, end) });
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
    ...(closed?.node === end ? { end: endOf(closed) } : ending ? { end: ofRules(ending) } : {}),
  };
}

const endOf = ({ outcome, reason, termination }: GameEnd): GameEnd => ({ outcome, reason, termination });

export function exportAs(format: Format): string {
  const game = currentText();
  if (format === "record") return writeRecord(game);
  if (format === "sgf") return writeSgf(game, session.tree);
  return writeSanmill(game.moves.flatMap(({ move }) => session.parts(move) ?? []));
}

/** The end that a text tells, where the rules do not: their own need not be told, and nobody can deny them. */
export function closing(end: GameEnd | undefined, node: number, state: State): Closed | undefined {
  if (end === undefined || state.ending) return undefined;
  // Without an ending by the rules the result was settled in some other way.
  const termination = end.termination === "normal" ? "adjudication" : end.termination;
  return { node, outcome: end.outcome, reason: end.reason, termination };
}

function toListed({ game, tree }: Imported): ListedGame {
  const rules = ruleset(game.variant, game.options);
  const { fen } = game;
  const end = leaf(tree, ROOT);
  const state = engineRules().state(rules, { fen, moves: moves(tree, end) });
  const closed = closing(game.end, end, state);
  return {
    key: newKey(),
    saved: Date.now(),
    rules,
    fen: checkGame({ rules, fen, tree }),
    tree,
    at: end,
    white: game.white || "–",
    black: game.black || "–",
    plies: path(tree, end).length,
    closed,
    outcome: closed?.outcome ?? (state.ending ? ofRules(state.ending).outcome : undefined),
  };
}

/** Reads games, keeps all of them, and opens the first. */
export async function importText(text: string): Promise<number> {
  const games = readGames(text, session.rules).games.map(toListed);
  const [first] = games;
  if (first) session.open(first, t("imported", { n: games.length }));
  for (const game of games) await library.keep(game);
  return games.length;
}

import { type GamePiece, type GameText, type Note, noteOf, type Ruleset } from "millbrain";
import { rules as engineRules } from "../../engine/rules.js";
import { closing, firstOf } from "../../game/played.js";
import { inSlices } from "../../game/slices.js";
import { factsOf, ofRules, treeOf } from "../../game/text.js";
import { leaf, moves, path, ROOT } from "../../game/tree.js";
import { ruleset } from "../../game/variants.js";
import { newKey } from "./database.js";
import type { ListedGame } from "./stored.js";

/** A game of a text that cannot be read. Its fault is plain data: it may come from a worker. */
export interface BadGame {
  /** Number of the game in the text, from 1. */
  readonly number: number;
  /** Its first line, from 1. */
  readonly line: number;
  readonly fault: Note;
}

/** The contents of a text of games. */
export interface ReadGames {
  readonly games: readonly ListedGame[];
  readonly bad: readonly BadGame[];
}

function toListed(game: GameText): ListedGame {
  const rules = ruleset(game.variant, game.options);
  const tree = treeOf(game);
  const { fen } = game;
  const end = leaf(tree, ROOT);
  const state = engineRules().state(rules, { fen, moves: moves(tree, end) });
  const closed = closing(game.end, end, state);
  return {
    key: newKey(),
    revision: newKey(),
    saved: Date.now(),
    rules,
    // Its moves were replayed when it was read.
    fen: firstOf({ rules, fen, tree }),
    tree,
    at: end,
    white: game.white || "–",
    black: game.black || "–",
    plies: path(tree, end).length,
    closed,
    facts: factsOf(game),
    outcome: closed?.outcome ?? (state.ending ? ofRules(state.ending).outcome : undefined),
  };
}

/**
 * Reads the games of a text in slices; lists of moves use these rules. Unreadable games are skipped.
 * @throws the signal's reason
 */
export async function readAll(
  text: string,
  like: Ruleset,
  signal: AbortSignal,
  progress: (share: number) => void = () => {},
): Promise<ReadGames> {
  const games: ListedGame[] = [];
  const bad: BadGame[] = [];
  let number = 0;
  const read = ({ text: piece, line, end }: GamePiece) => {
    number += 1;
    try {
      games.push(...engineRules().readGames(piece, like, line).games.map(toListed));
    } catch (error) {
      bad.push({ number, line, fault: noteOf(error) });
    }
    progress(end / text.length);
  };
  await inSlices(engineRules().splitGames(text), read, signal);
  return { games, bad };
}

import type { GameEnd, Ruleset, State } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { moves, type Tree } from "./tree.js";

/** A game with its variations. */
export interface Played {
  readonly rules: Ruleset;
  /** The first position, if it is not the start of the game. */
  readonly fen?: string | undefined;
  readonly tree: Tree;
}

/** An end outside the rules, and its node. */
export interface Closed extends GameEnd {
  readonly node: number;
}

/** Returns the first position of a game in the engine's notation; `undefined` for the start. */
export function firstOf({ rules, fen }: Played): string | undefined {
  if (fen === undefined) return undefined;
  const first = engineRules().state(rules, { fen }).fen;
  return first === engineRules().state(rules).fen ? undefined : first;
}

/**
 * Checks a game with the engine's rules; returns its first position in the engine's notation.
 * @throws the engine's error
 */
export function checkGame(game: Played): string | undefined {
  const { rules, fen, tree } = game;
  for (const node of tree.nodes) {
    if (node.children.length === 0) engineRules().state(rules, { fen, moves: moves(tree, node.id) });
  }
  return firstOf(game);
}

/**
 * Returns the end in a text if the rules do not determine it; an end by the rules needs no text, and a text cannot
 * change it.
 */
export function closing(end: GameEnd | undefined, node: number, state: State): Closed | undefined {
  if (end === undefined || state.ending) return undefined;
  // Without an ending by the rules the result was decided in another way.
  const termination = end.termination === "normal" ? "adjudication" : end.termination;
  return { node, outcome: end.outcome, reason: end.reason, termination };
}

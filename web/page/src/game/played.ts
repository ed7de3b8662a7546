import type { GameEnd, Ruleset, State } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { moves, type Tree } from "./tree.js";

/** A game with its variations. */
export interface Played {
  readonly rules: Ruleset;
  /** The first position, where it is not the start of the game. */
  readonly fen?: string | undefined;
  readonly tree: Tree;
}

/** An end that the rules do not give, and the node where it came. */
export interface Closed extends GameEnd {
  readonly node: number;
}

/** The first position of a game in the engine's own form; nothing for the start. */
export function firstOf({ rules, fen }: Played): string | undefined {
  if (fen === undefined) return undefined;
  const first = engineRules().state(rules, { fen }).fen;
  return first === engineRules().state(rules).fen ? undefined : first;
}

/**
 * Checks a game by the engine's rules; returns its first position in the engine's own form.
 * @throws what the engine says against it
 */
export function checkGame(game: Played): string | undefined {
  const { rules, fen, tree } = game;
  for (const node of tree.nodes) {
    if (node.children.length === 0) engineRules().state(rules, { fen, moves: moves(tree, node.id) });
  }
  return firstOf(game);
}

/** The end that a text tells, where the rules do not: their own need not be told, and nobody can deny them. */
export function closing(end: GameEnd | undefined, node: number, state: State): Closed | undefined {
  if (end === undefined || state.ending) return undefined;
  // Without an ending by the rules the result was settled in some other way.
  const termination = end.termination === "normal" ? "adjudication" : end.termination;
  return { node, outcome: end.outcome, reason: end.reason, termination };
}

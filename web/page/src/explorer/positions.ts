import type { Layout, Ruleset, State } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import type { ReportedResults as Results } from "../engine/server.js";
import type { Outcome } from "../game/text.js";
import { moves, type Tree } from "../game/tree.js";

/** Plies of a game with looked-up positions, as in a server's archive. */
export const OPENING_PLIES = 24;

export type { Results };

export const NONE: Results = { games: 0, white: 0, draws: 0, black: 0 };

/** Adds a game; a game without a result is not counted. */
export function withResult(results: Results, outcome: Outcome | undefined): Results {
  if (outcome === undefined || outcome === "none") return results;
  return {
    games: results.games + 1,
    white: results.white + Number(outcome === "white"),
    draws: results.draws + Number(outcome === "draw"),
    black: results.black + Number(outcome === "black"),
  };
}

/** Returns the key of a position, shared by all symmetric positions. */
export function positionKey(
  { pieces, side, hands }: Pick<State, "pieces" | "side" | "hands">,
  { points, kinds, symmetries }: Layout,
): string {
  const places = new Map(points.map(({ name }, place) => [name, place]));
  const letters = new Map(kinds.map(({ id, letters: [white, black] }) => [id, { white, black }]));
  const board = points.map(() => ".");
  for (const piece of pieces)
    board[places.get(piece.point) ?? -1] = letters.get(piece.kind)?.[piece.side] ?? "?";
  let least = board.join("");
  for (const image of symmetries) {
    const turned: string[] = [];
    for (const [from, to] of image.entries()) turned[to] = board[from] as string;
    const text = turned.join("");
    if (text < least) least = text;
  }
  return `${least} ${side} ${hands.white} ${hands.black}`;
}

/** Returns the keys of the positions in a game's opening. */
export function openingOf(rules: Ruleset, fen: string | undefined, tree: Tree, end: number): string[] {
  const layout = engineRules().layout(rules);
  const line = moves(tree, end).slice(0, OPENING_PLIES + 1);
  const keys: string[] = [];
  for (let ply = 0; ply <= line.length; ply++)
    keys.push(positionKey(engineRules().state(rules, { fen, moves: line.slice(0, ply) }), layout));
  return keys;
}

/** Moves that lead to the same position, or to symmetric ones, and end the game or not. */
export interface Way {
  /** Key of that position. */
  readonly key: string;
  /** At least one, in the order of the legal moves. */
  readonly moves: readonly string[];
}

/** Groups the legal moves of a position by symmetry. */
export function waysOf(rules: Ruleset, fen: string | undefined, played: readonly string[]): Way[] {
  const layout = engineRules().layout(rules);
  const ways = new Map<string, { key: string; moves: string[] }>();
  for (const { text } of engineRules().state(rules, { fen, moves: played }).moves) {
    const after = engineRules().state(rules, { fen, moves: [...played, text] });
    const key = positionKey(after, layout);
    // Only one of two symmetric positions may be the repetition of an earlier one.
    const way = `${key} ${after.ending !== null}`;
    const same = ways.get(way);
    if (same === undefined) ways.set(way, { key, moves: [text] });
    else same.moves.push(text);
  }
  return [...ways.values()];
}

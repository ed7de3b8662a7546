import { type Ending, type GameEnd, type GameNode, type GameText, type Side } from "millbrain";
import { nodeOf, ROOT, type Reported, type Tree, treeOfMoves, update } from "./tree.js";

export type Outcome = GameEnd["outcome"];
export const OUTCOMES = ["white", "black", "draw", "none"] as const satisfies readonly Outcome[];

const RESULTS: Record<Outcome, string> = { white: "1-0", black: "0-1", draw: "1/2-1/2", none: "*" };
export const resultText = (outcome: Outcome): string => RESULTS[outcome];
/** Returns the outcome for a record's result, such as `1-0`. */
export const outcomeOf = (result: string | undefined): Outcome | undefined =>
  OUTCOMES.find((outcome) => RESULTS[outcome] === result);

/** How a game ended, as in the match runner's records: by the rules, or otherwise. */
export const TERMINATIONS = [
  "normal",
  "resignation",
  "agreement",
  "adjudication",
  "time forfeit",
  "illegal move",
  "crash",
  "stall",
  "abandoned",
  "unterminated",
  "unknown",
] as const satisfies readonly GameEnd["termination"][];

/** The names of the players. */
export type Names = Readonly<Record<Side, string>>;

export const SIDES = ["white", "black"] as const;
export const other = (side: Side): Side => (side === "white" ? "black" : "white");

export const resignation = (side: Side): GameEnd => ({
  outcome: other(side),
  reason: "",
  termination: "resignation",
});

/** Returns the side that resigned, if one did; in a match the runner resigns for a program. */
export function resigned({ outcome, reason, termination }: GameEnd): Side | undefined {
  const isSo = termination === "resignation" || reason === "resigned";
  return isSo && (outcome === "white" || outcome === "black") ? other(outcome) : undefined;
}

/** Returns the end of a game by the rules: it needs no further data, since the rules determine it. */
export const ofRules = ({ winner, id }: Ending): GameEnd => ({
  outcome: winner ?? "draw",
  reason: id,
  termination: "normal",
});

/** The facts about a game in a text besides its players and moves. */
export type Facts = Pick<GameText, "times" | "number" | "round" | "tags">;

/** Returns the facts of a game from a text, or `undefined` if there are none. */
export function factsOf({
  times,
  number,
  round,
  tags,
}: {
  readonly [Name in keyof Facts]: Facts[Name] | undefined;
}): Facts | undefined {
  const facts = {
    ...(times ? { times } : {}),
    ...(number === undefined ? {} : { number }),
    ...(round === undefined ? {} : { round }),
    ...(tags?.length ? { tags } : {}),
  };
  return Object.keys(facts).length > 0 ? facts : undefined;
}

/** Returns the data about a move for a text. */
const reported = ({ said, time, clock, marks, before, comment }: Reported): Reported => ({
  ...(said ? { said } : {}),
  ...(time === undefined ? {} : { time: Math.round(time) }),
  ...(clock === undefined ? {} : { clock }),
  ...(marks?.length ? { marks } : {}),
  ...(before ? { before } : {}),
  ...(comment ? { comment } : {}),
});

/** Returns the moves of one line in the form for writing games. */
export const lineOf = (moves: readonly Omit<GameNode, "parent">[]): GameNode[] =>
  moves.map(({ move, ...rest }, parent) => ({ parent, move, ...reported(rest) }));

/** Returns the moves of a tree in the form for writing games: the main line first. */
export function nodesOf(tree: Tree): GameNode[] {
  const nodes: GameNode[] = [];
  // The stack of pending nodes, the next one last, each with the number of its parent; games are too long for
  // recursion.
  const due: (readonly [id: number, parent: number])[] = nodeOf(tree, ROOT).children.map((id) => [id, 0]);
  due.reverse();
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    const node = nodeOf(tree, next[0]);
    const number: number = nodes.push({ parent: next[1], move: node.move, ...reported(node) });
    due.push(...node.children.map((child) => [child, number] as const).reverse());
  }
  return nodes;
}

/** Returns the tree of a game's moves. */
export function treeOf({ nodes, comment }: Pick<GameText, "nodes" | "comment">): Tree {
  const moves = nodes.map(({ parent, move, ...rest }) => ({ parent, move, ...reported(rest) }));
  const [tree] = treeOfMoves(moves);
  return comment ? update(tree, ROOT, { comment }) : tree;
}

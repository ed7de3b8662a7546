import { type Ending, type GameEnd, type GameNode, type Side } from "millbrain";
import { nodeOf, ROOT, type Tree, treeOfMoves } from "./tree.js";

export type Outcome = GameEnd["outcome"];
export const OUTCOMES = ["white", "black", "draw", "none"] as const satisfies readonly Outcome[];

const RESULTS: Record<Outcome, string> = { white: "1-0", black: "0-1", draw: "1/2-1/2", none: "*" };
export const resultText = (outcome: Outcome): string => RESULTS[outcome];
/** The outcome that a record writes as `1-0` and so on. */
export const outcomeOf = (result: string | undefined): Outcome | undefined =>
  OUTCOMES.find((outcome) => RESULTS[outcome] === result);

/** What has ended a game, as the match runner's records tell it: the rules, or something else. */
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

/** The names of those who play a game. */
export type Names = Readonly<Record<Side, string>>;

export const SIDES = ["white", "black"] as const;
export const other = (side: Side): Side => (side === "white" ? "black" : "white");

export function resignation(side: Side): GameEnd {
  return { outcome: other(side), reason: `${side} resigns`, termination: "resignation" };
}

/** Who has resigned, if that is what a reason says. Records of matches and of games between people say no more than that. */
export function resigned(reason: string, outcome?: Outcome): Side | undefined {
  if (reason === "resigned" && (outcome === "white" || outcome === "black")) return other(outcome);
  return SIDES.find((side) => reason === `${side} resigns`);
}

/** What has ended the game by the rules: nothing else needs to be told, since the rules tell it again. */
export const ofRules = ({ winner, reason }: Ending): GameEnd => ({
  outcome: winner ?? "draw",
  reason,
  termination: "normal",
});

/** What a text tells of a move, of what is known of it here. */
const told = ({ said, time }: Pick<GameNode, "said" | "time">) => ({
  ...(said ? { said } : {}),
  ...(time === undefined ? {} : { time: Math.round(time) }),
});

/** The moves of one line, as games are written. */
export const lineOf = (moves: readonly Omit<GameNode, "parent">[]): GameNode[] =>
  moves.map(({ move, ...rest }, parent) => ({ parent, move, ...told(rest) }));

/** The moves of a tree, as games are written: first those of the main line. */
export function nodesOf(tree: Tree): GameNode[] {
  const nodes: GameNode[] = [];
  // The nodes that are due, the next last, each with the number of what it follows; games are too long to recur.
  const due: (readonly [id: number, parent: number])[] = nodeOf(tree, ROOT).children.map((id) => [id, 0]);
  due.reverse();
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    const node = nodeOf(tree, next[0]);
    const number: number = nodes.push({ parent: next[1], move: node.move, ...told(node) });
    due.push(...node.children.map((child) => [child, number] as const).reverse());
  }
  return nodes;
}

/** The tree of the moves of a game. */
export function treeOf(nodes: readonly GameNode[]): Tree {
  return treeOfMoves(nodes.map(({ parent, move, ...rest }) => ({ parent, move, ...told(rest) })))[0];
}

import type { Fact, MoveParts, Position, Ruleset } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { moves, nodeOf, type Tree } from "./tree.js";

/** Facts of the moves shown so far: a proof takes some milliseconds, and lists are made again with every change. */
const proved = new Map<string, readonly Fact[]>();
const MOST_PROVED = 500;

/** Returns the facts about a move of a game, compared with the best one that a search found in its place. */
export function factsOf(ruleset: Ruleset, fen: string | undefined, tree: Tree, id: number): readonly Fact[] {
  const node = nodeOf(tree, id);
  const before = node.parent < 0 ? undefined : nodeOf(tree, node.parent).judgement;
  if (before?.best === undefined || before.best === node.move) return [];
  const position = { fen, moves: moves(tree, id) };
  const scores = [before.score, node.judgement?.score];
  const key = JSON.stringify([ruleset, position, before.best, scores]);
  let facts = proved.get(key);
  if (facts === undefined) {
    facts = engineRules().facts(ruleset, position, before.best, scores);
    if (proved.size >= MOST_PROVED) proved.clear();
    proved.set(key, facts);
  }
  return facts;
}

/** The subject of a hint. */
export type Theme = "win" | "take" | "guard" | "threat" | "look";

/** The first step of a hint: where to look, and why. */
export interface Clue {
  readonly move: string;
  readonly points: readonly string[];
  readonly theme: Theme;
}

/** Returns what the better move is for, by a fact about a worse one. */
function themeOf({ kind }: Fact): Theme {
  if (kind === "winsAtOnce") return "win";
  if (kind === "missedMill" || kind === "missedTake") return "take";
  if (kind.startsWith("allows") || kind === "leavesMill") return "guard";
  return kind.startsWith("missed") ? "threat" : "look";
}

/** The number of other moves that a hint is compared with. */
const COMPARED = 4;

/** Returns where to look for a move, and why: by comparison with others, most of which lack what it does. */
export function clueOf(
  ruleset: Ruleset,
  { fen, moves: played = [] }: Position,
  legal: readonly MoveParts[],
  move: string,
): Clue | undefined {
  const parts = legal.find(({ text }) => text === move);
  if (parts === undefined) return undefined;
  const others = legal.filter(({ from, to }) => from !== parts.from || to !== parts.to);
  const step = Math.max(1, Math.ceil(others.length / COMPARED));
  const compared = others.filter((_, i) => i % step === 0);
  const facts = compared.flatMap(
    ({ text }) => engineRules().facts(ruleset, { fen, moves: [...played, text] }, move)[0] ?? [],
  );
  const theme = (["win", "take", "guard", "threat"] as const).find(
    (theme) => facts.filter((fact) => themeOf(fact) === theme).length * 2 > compared.length,
  );
  const mill = facts.find((fact) => themeOf(fact) === theme)?.mills?.[0];
  // A placement is not given away where there is a line to look at.
  const points = parts.from === undefined && mill?.includes(parts.to) ? mill : [parts.from ?? parts.to];
  return { move, points, theme: theme ?? "look" };
}

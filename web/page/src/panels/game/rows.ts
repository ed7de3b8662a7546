import { nodeOf, ROOT, type Tree, type TreeNode } from "../../game/tree.js";

/** A row of the move list: a pair of moves, a comment between moves of the main line, or a variation. */
export type Row =
  | { readonly kind: "pair"; readonly number: number; readonly white?: number; readonly black?: number }
  | { readonly kind: "comment"; readonly text: string }
  | {
      readonly kind: "variation";
      readonly depth: number;
      readonly moves: readonly { id: number; label: string }[];
    };

/** Returns the move list of a tree, the main line in pairs and the variations where they branch off. */
export function rows(tree: Tree, blackFirst: boolean): Row[] {
  const shift = blackFirst ? 1 : 0;
  const result: Row[] = [];
  let ply = shift;
  let pair: { number: number; white?: number; black?: number } | undefined;
  const flush = () => {
    if (pair) result.push({ kind: "pair", ...pair });
    pair = undefined;
  };
  const say = (text: string | undefined) => {
    if (!text) return;
    flush();
    result.push({ kind: "comment", text });
  };
  say(nodeOf(tree, ROOT).comment);
  for (let at = ROOT, next = nodeOf(tree, ROOT).children[0]; next !== undefined;) {
    const { before, comment } = nodeOf(tree, next);
    say(before);
    pair ??= { number: Math.floor(ply / 2) + 1 };
    if (ply % 2 === 0) pair.white = next;
    else pair.black = next;
    const { children } = nodeOf(tree, at);
    if (ply % 2 === 1 || children.length > 1) flush();
    say(comment);
    for (const other of children.slice(1)) result.push(...variation(tree, other, ply, 1));
    ply += 1;
    at = next;
    next = nodeOf(tree, at).children[0];
  }
  flush();
  return result;
}

/** The signs of the first marks of the portable game notation, by their numbers; the others have none. */
const SIGNS = ["", "!", "?", "!!", "??", "!?", "?!"];

/** The signs behind a move: the mark of a review, or else those that its text has. */
export const signs = ({ mark, marks }: TreeNode): string[] =>
  mark ? [mark] : (marks ?? []).flatMap((number) => SIGNS[number] || []);

function variation(tree: Tree, first: number, from: number, depth: number): Row[] {
  const line: { id: number; label: string }[] = [];
  const inner: Row[] = [];
  let ply = from;
  for (let id: number | undefined = first; id !== undefined;) {
    const number = Math.floor(ply / 2) + 1;
    const label = ply % 2 === 0 ? `${number}.` : line.length === 0 ? `${number}…` : "";
    line.push({ id, label });
    const [next, ...others]: readonly number[] = nodeOf(tree, id).children;
    ply += 1;
    for (const other of others) inner.push(...variation(tree, other, ply, depth + 1));
    id = next;
  }
  return [{ kind: "variation", depth, moves: line }, ...inner];
}

import type { GameNode, Score } from "millbrain";

/** The evaluation of a position: the score is from the side to move. */
export interface Judgement {
  score: Score;
  depth: number;
  nodes: number;
  best?: string;
  pv?: readonly string[];
}

/** The mark of a move after a review. */
export type Mark = "?!" | "?" | "??";

/** The notes of a text on a move. */
export type Reported = Omit<GameNode, "parent" | "move">;

/** A move, and the position after it. Number 0 is the start of the game and has no move; its comment is on the game. */
export interface TreeNode extends Reported {
  readonly id: number;
  readonly parent: number;
  readonly move: string;
  /** The first one continues the main line. */
  readonly children: readonly number[];
  readonly judgement?: Judgement;
  readonly mark?: Mark;
  /** Loss of winning chances, 0 to 1. */
  readonly loss?: number;
}

/** A game with all its variations. Trees are immutable: each change makes a new one. */
export interface Tree {
  readonly nodes: readonly TreeNode[];
}

export const ROOT = 0;

export function emptyTree(): Tree {
  return { nodes: [{ id: ROOT, parent: -1, move: "", children: [] }] };
}

export function nodeOf(tree: Tree, id: number): TreeNode {
  const node = tree.nodes[id];
  if (node === undefined) throw new Error(`no node ${id}`);
  return node;
}

/** Changes some fields of a node. */
export function update(tree: Tree, id: number, changes: Partial<Omit<TreeNode, "id">>): Tree {
  const nodes = tree.nodes.slice();
  nodes[id] = { ...nodeOf(tree, id), ...changes };
  return { nodes };
}

/** Plays a move; reuses the node of a move already played here. */
export function play(tree: Tree, at: number, move: string, extra: Partial<TreeNode> = {}): [Tree, number] {
  const parent = nodeOf(tree, at);
  const known = parent.children.find((child) => nodeOf(tree, child).move === move);
  if (known !== undefined) return [tree, known];
  const id = tree.nodes.length;
  const grown = update(tree, at, { children: [...parent.children, id] });
  return [{ nodes: [...grown.nodes, { ...extra, id, parent: at, move, children: [] }] }, id];
}

/** Stores the evaluation of a position, unless a better one is known. */
export function judged(tree: Tree, id: number, line: Judgement): Tree {
  const known = tree.nodes[id]?.judgement;
  if (tree.nodes[id] === undefined || (known && known.nodes > line.nodes && known.depth >= line.depth))
    return tree;
  const { score, depth, nodes, pv } = line;
  const best = line.best ?? pv?.[0];
  const judgement = {
    score,
    depth,
    nodes,
    ...(best ? { best } : {}),
    ...(pv ? { pv: pv.slice(0, 12) } : {}),
  };
  return update(tree, id, { judgement });
}

/**
 * Returns the tree of a list of moves and the node of the last one. Parent 0 is the first position, and `n` the move at
 * `n - 1`, which precedes its children. The running time is linear.
 */
export function treeOfMoves(
  moves: readonly (Partial<TreeNode> & { readonly parent: number; readonly move: string })[],
): [Tree, number] {
  const nodes: (TreeNode & { children: number[] })[] = [{ id: ROOT, parent: -1, move: "", children: [] }];
  const ids: number[] = [ROOT];
  for (const { parent, move, ...rest } of moves) {
    const before = nodes[ids[parent] ?? ROOT] as (typeof nodes)[number];
    let id = before.children.find((child) => nodes[child]?.move === move);
    if (id === undefined) {
      id = nodes.length;
      before.children.push(id);
      nodes.push({ ...rest, id, parent: before.id, move, children: [] });
    }
    ids.push(id);
  }
  return [{ nodes }, ids.at(-1) ?? ROOT];
}

/** Returns a tree with one line. */
export function line(moves: readonly string[]): [Tree, number] {
  return treeOfMoves(moves.map((move, parent) => ({ parent, move })));
}

/** Returns the nodes from the start to this one, without the start. */
export function path(tree: Tree, id: number): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let node = nodeOf(tree, id); node.id !== ROOT; node = nodeOf(tree, node.parent)) nodes.push(node);
  return nodes.reverse();
}

export function moves(tree: Tree, id: number): string[] {
  return path(tree, id).map((node) => node.move);
}

/** Returns the last node of the line that begins here and always follows the first continuation. */
export function leaf(tree: Tree, id: number): number {
  let node = nodeOf(tree, id);
  for (let next = node.children[0]; next !== undefined; next = node.children[0]) node = nodeOf(tree, next);
  return node.id;
}

/** Makes the line to this node the main line. */
export function promote(tree: Tree, id: number): Tree {
  let result = tree;
  for (let node = nodeOf(tree, id); node.id !== ROOT; node = nodeOf(result, node.parent)) {
    const { children } = nodeOf(result, node.parent);
    const sorted = [node.id, ...children.filter((child) => child !== node.id)];
    result = update(result, node.parent, { children: sorted });
  }
  return result;
}

/**
 * Returns the renumbered tree without a node and its descendants; and the new number of another node, or of its nearest
 * remaining ancestor.
 */
export function remove(tree: Tree, id: number, at: number): [Tree, number] {
  if (id === ROOT) return [emptyTree(), ROOT];
  const gone = new Set<number>();
  const collect = (node: number) => {
    gone.add(node);
    nodeOf(tree, node).children.forEach(collect);
  };
  collect(id);
  let target = at;
  while (gone.has(target)) target = nodeOf(tree, target).parent;
  const numbers = new Map<number, number>();
  for (const node of tree.nodes) if (!gone.has(node.id)) numbers.set(node.id, numbers.size);
  const number = (old: number) => numbers.get(old) ?? -1;
  const nodes = tree.nodes
    .filter((node) => !gone.has(node.id))
    .map((node) => ({
      ...node,
      id: number(node.id),
      parent: number(node.parent),
      children: node.children.filter((child) => !gone.has(child)).map(number),
    }));
  return [{ nodes }, number(target)];
}

/** Whether external data is a valid tree. */
export function isTree(data: unknown): data is Tree {
  const nodes = (data as Tree | null)?.nodes;
  if (!Array.isArray(nodes) || nodes.length === 0) return false;
  // Every node except the first is the child of its parent, once: the lists of the page show all of them.
  const children = nodes.flatMap((node: TreeNode | null) =>
    Array.isArray(node?.children) ? node.children : [],
  );
  if (children.length !== nodes.length - 1 || new Set(children).size !== children.length) return false;
  return nodes.every(
    (node: TreeNode, i) =>
      node?.id === i &&
      typeof node.move === "string" &&
      (i !== 0 || node.parent === -1) &&
      Array.isArray(node.children) &&
      // All except the first are such children: parents come first, so that every walk upwards ends.
      node.children.every((child) => Number.isInteger(child) && child > i && nodes[child]?.parent === i),
  );
}

import type { Layout, Placed, Side } from "./types.js";

/** A man on a point. */
export interface Man {
  readonly side: Side;
  /** ID of its kind. */
  readonly kind: string;
}
/** Men by the names of their points. */
export type Placement = ReadonlyMap<string, Man>;

export function placement(pieces: readonly Placed[]): Placement {
  return new Map(pieces.map(({ point, side, kind }) => [point, { side, kind }]));
}

export const isSame = (a: Man, b: Man): boolean => a.side === b.side && a.kind === b.kind;

/** Returns the most common kind: the one placed from the hand. */
export const commonKind = ({ kinds }: Layout): string => kinds.at(-1)?.id ?? "";

/** Returns the kind that represents a side: the rarest, if there are several. */
export const chiefKind = ({ kinds }: Layout): string => kinds[0]?.id ?? "";

/**
 * Returns the pieces after a click of an editor on a point with a selected man, or without one, which removes. A click
 * with the same man also removes it: a mistake needs no change of tool.
 */
export function put(pieces: readonly Placed[], point: string, tool: Man | undefined): Placed[] {
  const others = pieces.filter((piece) => piece.point !== point);
  const there = pieces.find((piece) => piece.point === point);
  return tool === undefined || (there && isSame(there, tool)) ? others : [...others, { point, ...tool }];
}

/** A man with an identity, so that its moves can be animated. */
export interface Piece extends Man {
  readonly id: number;
  readonly point: string;
}

let last = 0;

/**
 * Returns the same men on a new board. A man that stays keeps its identity; a new one takes the identity of a vanished
 * man of its kind, the moved one if the move is known. All others appear and vanish.
 */
export function follow(
  before: readonly Piece[],
  now: Placement,
  moved?: { from: string; to: string },
): Piece[] {
  const kept: Piece[] = [];
  const gone: Piece[] = [];
  for (const piece of before) {
    const man = now.get(piece.point);
    if (man && isSame(man, piece)) kept.push(piece);
    else gone.push(piece);
  }
  const taken = new Set(kept.map(({ point }) => point));
  const fresh = [...now].filter(([point]) => !taken.has(point));
  const pieces = [...kept];
  for (const [point, man] of fresh) {
    const isMover = (piece: Piece) =>
      moved?.to === point && moved.from === piece.point && piece.side === man.side;
    let index = gone.findIndex(isMover);
    if (index < 0 && moved?.to !== point) index = gone.findIndex((piece) => isSame(piece, man));
    const [source] = index < 0 ? [] : gone.splice(index, 1);
    pieces.push({ ...man, point, id: source?.id ?? ++last });
  }
  // In the order of their identity: a piece that moves in the document would lose its animation.
  return pieces.sort((a, b) => a.id - b.id);
}

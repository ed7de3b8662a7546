import type { Man, Placement } from "../game/fen.js";

/** A man with an identity, so that it can be seen moving. */
export interface Piece extends Man {
  readonly id: number;
  readonly point: string;
}

let last = 0;

/**
 * The same men on a new board: who stays keeps its identity, who is new takes it over from one of its kind that has
 * gone (the move itself tells which, if it is known), and all others come and go.
 */
export function follow(
  before: readonly Piece[],
  now: Placement,
  moved?: { from: string; to: string },
): Piece[] {
  const isSame = (a: Man, b: Man) => a.side === b.side && a.kind === b.kind;
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
  // In the order of their identity: a piece that is moved in the document would lose its animation.
  return pieces.sort((a, b) => a.id - b.id);
}

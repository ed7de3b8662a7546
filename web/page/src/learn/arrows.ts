import type { Layout, Piece, Ruleset } from "millbrain";
import { chiefKind, commonKind } from "@millbrain/board/model";
import { rules as engineRules } from "../engine/rules.js";

/** A step to the right and down. */
export type Arrow = readonly [number, number];

/** Squares with the same arrows. */
export interface ArrowKind {
  /** Clockwise from the top. */
  readonly arrows: readonly Arrow[];
  /** Names of the squares. */
  readonly squares: readonly string[];
}

/** Returns the direction of an arrow, in eighths of a turn clockwise from the top. */
export const turnOf = ([dx, dy]: Arrow): number => Math.round((Math.atan2(dx, -dy) / Math.PI) * 4 + 8) % 8;

/** Returns all kinds of squares by their arrows, those with the fewest arrows first. */
export function arrowKinds({ points, arrows }: Layout): ArrowKind[] {
  const kinds = new Map<string, { arrows: readonly Arrow[]; squares: string[] }>();
  for (const [i, { name }] of points.entries()) {
    const own = [...(arrows[i] ?? [])].sort((a, b) => turnOf(a) - turnOf(b));
    if (own.length === 0) continue;
    const key = own.map(turnOf).join();
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { arrows: own, squares: [name] });
    else kind.squares.push(name);
  }
  const order = ({ arrows }: ArrowKind) => [arrows.length, ...arrows.map(turnOf)].join();
  return [...kinds.values()].sort(
    (a, b) => a.arrows.length - b.arrows.length || (order(a) < order(b) ? -1 : 1),
  );
}

/**
 * Returns a piece of White's on one of these squares, with the pieces that a game needs: as at the start of the game,
 * the chief of either side and one more man of Black's.
 */
export function pictureOf(ruleset: Ruleset, squares: readonly string[], kind: string): Piece[] {
  const layout = engineRules().layout(ruleset);
  const start = engineRules().state(ruleset).pieces;
  const first = (side: Piece["side"], id: string) =>
    start.find((man) => man.side === side && man.kind === id);
  const others = [
    first("black", chiefKind(layout)),
    first("black", commonKind(layout)),
    ...(kind === chiefKind(layout) ? [] : [first("white", chiefKind(layout))]),
  ].filter((man) => man !== undefined);
  const point = squares.find((name) => others.every((man) => man.point !== name)) ?? squares[0] ?? "";
  return [...others.filter((man) => man.point !== point), { point, side: "white", kind }];
}

import type { Layout, MoveParts, Side, State } from "millbrain";
import { choice, fullLines, type Pick, placement } from "@millbrain/board/model";
import type { Key } from "../texts/en/page.js";

/** Why a click on a point has no effect: a text, and its values. */
export interface Refusal {
  readonly key: Key;
  readonly point: string;
  /** The chosen man. */
  readonly from?: string;
  /** The side in question. */
  readonly side: Side;
}

/** The state of the game for judging a click. */
export interface Situation {
  readonly state: State;
  readonly layout: Layout;
  readonly legal: readonly MoveParts[];
  readonly pick: Pick;
}

/**
 * Returns why nothing can be chosen at this point; `undefined` if something can, or if a click cancels. Everything
 * follows from the legal moves and the pieces: no rule is known here.
 */
export function refusal({ state, layout, legal, pick }: Situation, point: string): Refusal | undefined {
  const { side } = state;
  const { sources, targets, removals } = choice(legal, pick);
  const men = placement(state.pieces);
  const man = men.get(point);
  const reported = (key: Key, more: Partial<Refusal> = {}): Refusal => ({ key, point, side, ...more });
  if (point === pick.to || point === pick.from) return undefined;
  if (pick.to !== undefined) {
    if (removals.has(point)) return undefined;
    if (man === undefined || man.side === side) return reported("refused.take");
    const isInMill = fullLines(layout, men).some((line) => line.includes(point));
    return reported(isInMill ? "refused.protected" : "refused.notThis");
  }
  if (sources.has(point) || targets.has(point)) return undefined;
  if (man?.side === side)
    return reported(sources.size === 0 && state.hands[side] > 0 ? "refused.hand" : "refused.blocked");
  if (pick.from !== undefined) return reported("refused.to", { from: pick.from });
  return man === undefined ? reported("refused.choose") : reported("refused.other", { side: man.side });
}

import type { MoveParts } from "./types.js";

/** The chosen part of a move. */
export interface Pick {
  readonly from?: string;
  /** Set while stones to remove are chosen. */
  readonly to?: string;
  /** The stones chosen so far by a move that removes several. */
  readonly taken?: readonly string[];
}

/** The next choice: the points to click, and their meaning. */
export interface Choice {
  readonly due: "from" | "to" | "from-or-to" | "remove" | "none";
  /** Own men that can move. */
  readonly sources: ReadonlySet<string>;
  /** Target points. */
  readonly targets: ReadonlySet<string>;
  /** Stones that can be removed. */
  readonly removals: ReadonlySet<string>;
}

const takes = (taken: readonly string[], wanted: readonly string[] = []): boolean =>
  wanted.every((point) => taken.includes(point));

/** Returns the next choice among these moves. */
export function choice(moves: readonly MoveParts[], pick: Pick): Choice {
  const sources = new Set<string>();
  const targets = new Set<string>();
  const removals = new Set<string>();
  for (const { from, to, taken } of moves) {
    if (from !== undefined) sources.add(from);
    if (from !== pick.from) continue;
    if (pick.to === undefined) targets.add(to);
    else if (to === pick.to && takes(taken, pick.taken))
      for (const point of taken) if (!pick.taken?.includes(point)) removals.add(point);
  }
  if (pick.to !== undefined) return { due: "remove", sources, targets, removals };
  if (pick.from !== undefined) return { due: "to", sources, targets, removals };
  const due =
    moves.length === 0 ? "none" : sources.size === 0 ? "to" : targets.size === 0 ? "from" : "from-or-to";
  return { due, sources, targets, removals };
}

/** The result of a click: a complete move, an extended choice, or a cancelled one. */
export type Click = { readonly move: string } | { readonly pick: Pick };

export function click(moves: readonly MoveParts[], pick: Pick, point: string): Click {
  const { sources } = choice(moves, pick);
  const begun = moves.filter(({ from }) => from === pick.from);
  if (pick.to !== undefined) {
    const before = pick.taken ?? [];
    const chosen = [...before, point];
    const fit = begun.filter(
      ({ to, taken }) => to === pick.to && !before.includes(point) && takes(taken, chosen),
    );
    // If only one move is left, the rest of it need not be chosen.
    const whole = fit.length === 1 ? fit[0] : fit.find(({ taken }) => taken.length === chosen.length);
    if (whole) return { move: whole.text };
    if (fit.length > 0) return { pick: { ...pick, taken: chosen } };
  } else {
    const there = begun.filter(({ to }) => to === point);
    const plain = there.find(({ taken }) => taken.length === 0);
    if (plain) return { move: plain.text };
    if (there.length > 0) return { pick: { ...pick, to: point } };
  }
  // A click elsewhere cancels the choice, and starts a new one if it is on another man that can move.
  return { pick: sources.has(point) && point !== pick.from ? { from: point } : {} };
}

/** Returns the moves that match the choice. */
export function fitting(moves: readonly MoveParts[], pick: Pick): MoveParts[] {
  return moves.filter(
    ({ from, to }) =>
      (pick.from === undefined || from === pick.from) && (pick.to === undefined || to === pick.to),
  );
}

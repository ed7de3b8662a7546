import type { MoveParts } from "./types.js";

/** What of a move has been chosen so far. */
export interface Pick {
  readonly from?: string;
  /** Set while the stones to take are asked for. */
  readonly to?: string;
  /** The stones taken so far by a move that takes several. */
  readonly taken?: readonly string[];
}

/** The next thing to choose: where to click, and what it is. */
export interface Choice {
  readonly due: "from" | "to" | "from-or-to" | "remove" | "none";
  /** Own men that can move. */
  readonly sources: ReadonlySet<string>;
  /** Points to go to. */
  readonly targets: ReadonlySet<string>;
  /** Stones that can be taken. */
  readonly removals: ReadonlySet<string>;
}

const takes = (taken: readonly string[], wanted: readonly string[] = []): boolean =>
  wanted.every((point) => taken.includes(point));

/** What can be chosen next among these moves. */
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

/** What a click means: a whole move, more chosen, or everything called off. */
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
    // Where one move is left, the rest of it need not be shown.
    const whole = fit.length === 1 ? fit[0] : fit.find(({ taken }) => taken.length === chosen.length);
    if (whole) return { move: whole.text };
    if (fit.length > 0) return { pick: { ...pick, taken: chosen } };
  } else {
    const there = begun.filter(({ to }) => to === point);
    const plain = there.find(({ taken }) => taken.length === 0);
    if (plain) return { move: plain.text };
    if (there.length > 0) return { pick: { ...pick, to: point } };
  }
  // A click elsewhere calls everything off, and begins anew if it is on another man that can move.
  return { pick: sources.has(point) && point !== pick.from ? { from: point } : {} };
}

/** Moves that fit what is chosen. */
export function fitting(moves: readonly MoveParts[], pick: Pick): MoveParts[] {
  return moves.filter(
    ({ from, to }) =>
      (pick.from === undefined || from === pick.from) && (pick.to === undefined || to === pick.to),
  );
}

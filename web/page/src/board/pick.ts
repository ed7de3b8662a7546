import { moveParts } from "millbrain";

/** What of a move has been chosen so far. */
export interface Pick {
  readonly from?: string;
  /** Set while the stone to take is asked for. */
  readonly to?: string;
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

/** What can be chosen next among these moves. */
export function choice(moves: readonly string[], pick: Pick): Choice {
  const parts = moves.map(moveParts);
  const sources = new Set<string>();
  const targets = new Set<string>();
  const removals = new Set<string>();
  for (const { from, to, remove } of parts) {
    if (from !== undefined) sources.add(from);
    if (pick.to !== undefined) {
      if (from === pick.from && to === pick.to && remove !== undefined) removals.add(remove);
    } else if (from === pick.from) targets.add(to);
  }
  if (pick.to !== undefined) return { due: "remove", sources, targets, removals };
  if (pick.from !== undefined) return { due: "to", sources, targets, removals };
  const due =
    moves.length === 0 ? "none" : sources.size === 0 ? "to" : targets.size === 0 ? "from" : "from-or-to";
  return { due, sources, targets, removals };
}

/** What a click means: a whole move, more chosen, or everything called off. */
export type Click = { readonly move: string } | { readonly pick: Pick };

export function click(moves: readonly string[], pick: Pick, point: string): Click {
  const { removals, targets, sources } = choice(moves, pick);
  const text = ({ from, to }: Pick, remove?: string) =>
    `${from ?? ""}${to ?? ""}${remove ? `x${remove}` : ""}`;
  if (removals.has(point)) return { move: text(pick, point) };
  // A click elsewhere calls the mill off, and begins anew if it is on a man that can move.
  if (pick.to !== undefined)
    return { pick: sources.has(point) && point !== pick.from ? { from: point } : {} };
  if (targets.has(point)) {
    const chosen = { ...pick, to: point };
    const plain = text(chosen);
    return moves.includes(plain) ? { move: plain } : { pick: chosen };
  }
  return { pick: sources.has(point) && point !== pick.from ? { from: point } : {} };
}

/** Moves that fit what is chosen. */
export function fitting(moves: readonly string[], pick: Pick): string[] {
  return moves.filter((move) => {
    const { from, to } = moveParts(move);
    return (pick.from === undefined || from === pick.from) && (pick.to === undefined || to === pick.to);
  });
}

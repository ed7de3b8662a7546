import type { Man } from "./pieces.js";
import type { Choice, Pick } from "./pick.js";
import type { Words } from "./types.js";

interface Circumstances {
  /** Whether the board has several kinds of men, so that they need names. */
  hasKinds: boolean;
  inMill: boolean;
  pick: Pick;
  next: Choice;
  isLast: boolean;
  words: Words;
}

/** Describes a point: its man, and the possible actions. */
export function describe(
  point: string,
  man: Man | undefined,
  { hasKinds, inMill, pick, next, isLast, words }: Circumstances,
): string {
  const parts = [man ? words.piece(point, man.side, hasKinds ? man.kind : undefined) : words.empty(point)];
  if (inMill) parts.push(words.inMill);
  if (point === pick.from || point === pick.to) parts.push(words.chosen);
  else if (next.removals.has(point)) parts.push(words.remove);
  else if (next.targets.has(point)) parts.push(words.target);
  else if (next.due !== "remove" && next.sources.has(point)) parts.push(words.source);
  if (isLast) parts.push(words.last);
  return parts.join(", ");
}

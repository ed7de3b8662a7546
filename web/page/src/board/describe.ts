import { named, t } from "../i18n/index.svelte.js";
import type { Man } from "./pieces.js";
import type { Choice, Pick } from "./pick.js";

interface Circumstances {
  /** Whether the board has several kinds of men, so that they are called by their names. */
  hasKinds: boolean;
  inMill: boolean;
  pick: Pick;
  next: Choice;
  isLast: boolean;
}

/** What is said of a point: what stands there, and what can be done with it. */
export function describe(
  point: string,
  man: Man | undefined,
  { hasKinds, inMill, pick, next, isLast }: Circumstances,
): string {
  const parts: string[] = [];
  if (!man) parts.push(t("point.empty", { point }));
  else {
    const side = t(man.side).toLowerCase();
    if (hasKinds) parts.push(t("point.piece", { point, side, kind: named("piece", man.kind) }));
    else parts.push(t("point.stone", { point, side }));
  }
  if (inMill) parts.push(t("point.inMill"));
  if (point === pick.from || point === pick.to) parts.push(t("point.chosen"));
  else if (next.removals.has(point)) parts.push(t("point.remove"));
  else if (next.targets.has(point)) parts.push(t("point.target"));
  else if (next.due !== "remove" && next.sources.has(point)) parts.push(t("point.source"));
  if (isLast) parts.push(t("point.last"));
  return parts.join(", ");
}

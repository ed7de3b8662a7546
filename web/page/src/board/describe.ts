import type { Man } from "../game/fen.js";
import { t } from "../i18n/index.svelte.js";
import type { Choice, Pick } from "./pick.js";

/** What is said of a point: what stands there, and what can be done with it. */
export function describe(
  point: string,
  man: Man | undefined,
  { inMill, pick, next, isLast }: { inMill: boolean; pick: Pick; next: Choice; isLast: boolean },
): string {
  const parts: string[] = [];
  if (!man) parts.push(t("point.empty", { point }));
  else {
    const side = t(man.side).toLowerCase();
    if (man.kind === "stone") parts.push(t("point.stone", { point, side }));
    else parts.push(t("point.piece", { point, side, kind: t(`kind.${man.kind}`) }));
  }
  if (inMill) parts.push(t("point.inMill"));
  if (point === pick.from || point === pick.to) parts.push(t("point.chosen"));
  else if (next.removals.has(point)) parts.push(t("point.remove"));
  else if (next.targets.has(point)) parts.push(t("point.target"));
  else if (next.due !== "remove" && next.sources.has(point)) parts.push(t("point.source"));
  if (isLast) parts.push(t("point.last"));
  return parts.join(", ");
}

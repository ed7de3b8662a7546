import type { Words } from "@millbrain/board/model";
import { named, sideName, t } from "../i18n/index.svelte.js";

/** Returns the descriptions of points in the current language. */
export const boardWords = (): Words => ({
  empty: (point) => t("point.empty", { point }),
  piece(point, side, kind) {
    const mover = sideName(side).toLowerCase();
    if (kind === undefined) return t("point.stone", { point, side: mover });
    return t("point.piece", { point, side: mover, kind: named("piece", kind) });
  },
  inMill: t("point.inMill"),
  chosen: t("point.chosen"),
  remove: t("point.remove"),
  target: t("point.target"),
  source: t("point.source"),
  last: t("point.last"),
});

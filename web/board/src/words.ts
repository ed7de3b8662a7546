import type { Words } from "./types.js";

export const ENGLISH: Words = {
  empty: (point) => `${point}, empty`,
  piece: (point, side, kind) => `${point}, ${side}${kind === undefined ? "" : ` ${kind}`}`,
  inMill: "in a mill",
  chosen: "chosen",
  remove: "can be taken",
  target: "can be gone to",
  source: "can move",
  last: "last move",
};

/** The parts of a board without drawing it, for users of the Svelte component or of the same data. */
export { describe } from "./describe.js";
export { type Direction, neighbour } from "./drawing/geometry.js";
export {
  BOARD_NAMES,
  BOARDS,
  type Look,
  lookOf,
  RINGS,
  STONE_NAMES,
  type StoneName,
  STONES,
} from "./looks.js";
export { bring, isStill } from "./motion.js";
export { choice, type Choice, click, type Click, fitting, type Pick } from "./pick.js";
export {
  chiefKind,
  commonKind,
  follow,
  isSame,
  type Man,
  type Piece,
  type Placement,
  placement,
  put,
} from "./pieces.js";
export { emblem, fullLines, type Plan, plan } from "./drawing/plan.js";
export type * from "./types.js";
export { ENGLISH } from "./words.js";

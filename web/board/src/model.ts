/** What a board is made of, without drawing it: for whoever uses the Svelte component, or looks at the same data. */
export { describe } from "./describe.js";
export { type Direction, neighbour } from "./geometry.js";
export { BOARD_NAMES, BOARDS, type Look, lookOf, RINGS, STONE_NAMES, STONES } from "./looks.js";
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
export { emblem, fullLines, type Plan, plan } from "./plan.js";
export type * from "./types.js";
export { ENGLISH } from "./words.js";

import { MillbrainBoard, type MoveEvent, type PickEvent, type PointEvent } from "./element.svelte.js";

declare global {
  interface HTMLElementTagNameMap {
    "millbrain-board": MillbrainBoard;
  }
  interface HTMLElementEventMap {
    "board-point": PointEvent;
    "board-pick": PickEvent;
    "board-move": MoveEvent;
  }
}

if (globalThis.customElements && !customElements.get("millbrain-board"))
  customElements.define("millbrain-board", MillbrainBoard);

export { MillbrainBoard, type MoveEvent, type PickEvent, type PointEvent };
export { BOARD_NAMES, STONE_NAMES } from "./looks.js";
export type { Pick } from "./pick.js";
export type * from "./types.js";
export { ENGLISH } from "./words.js";

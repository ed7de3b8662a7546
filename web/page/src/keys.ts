import { session } from "./store/session.svelte.js";
import { settings } from "./store/settings.svelte.js";
import { shownGame } from "./store/shown.js";
import { isLoading, view } from "./store/view.svelte.js";

/** Keys for the board in any kind of game. */
const BOARD: Record<string, () => void> = {
  ",": () => shownGame().step(-1),
  ".": () => shownGame().step(1),
  ArrowLeft: () => shownGame().step(-1),
  ArrowRight: () => shownGame().step(1),
  f: () => (settings.flipped = !settings.flipped),
  Escape: () => shownGame().cancel(),
};

/** Keys for the session. */
const SESSION: Record<string, () => void> = {
  z: () => session.takeBack(),
  y: () => session.redo(),
  h: () => void session.seek("show"),
  b: () => void session.seek("play"),
  r: () => session.random(),
  n: () => (view.dialog = "new"),
  p: () => session.pause(),
  a: () => (settings.analyse = !settings.analyse),
};

/** Handles keys that work with any focus, except in inputs. */
export function onKey(event: KeyboardEvent): void {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.defaultPrevented ||
    view.dialog !== "" ||
    view.board ||
    isLoading()
  )
    return;
  const target = event.target as HTMLElement | null;
  if (target?.closest("input, select, textarea, dialog, [contenteditable]")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = BOARD[key] ?? (view.game ? undefined : SESSION[key]);
  if (!action) return;
  event.preventDefault();
  action();
}

import { session } from "./store/session.svelte.js";
import { settings } from "./store/settings.svelte.js";
import { view } from "./store/view.svelte.js";

const ACTIONS: Record<string, () => void> = {
  z: () => session.takeBack(),
  y: () => session.redo(),
  ",": () => session.step(-1),
  ".": () => session.step(1),
  ArrowLeft: () => session.step(-1),
  ArrowRight: () => session.step(1),
  h: () => void session.seek("show"),
  b: () => void session.seek("play"),
  r: () => session.random(),
  n: () => (view.dialog = "new"),
  p: () => session.pause(),
  f: () => (settings.flipped = !settings.flipped),
  a: () => (settings.analyse = !settings.analyse),
  Escape: () => session.cancel(),
};

/** Keys that work wherever the focus is, except where one writes or chooses. */
export function onKey(event: KeyboardEvent): void {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.defaultPrevented ||
    view.dialog !== "" ||
    view.board
  )
    return;
  const target = event.target as HTMLElement | null;
  if (target?.closest("input, select, textarea, dialog, [contenteditable]")) return;
  // Tabs have arrow keys of their own.
  if (event.key.startsWith("Arrow") && target?.closest("[role=tab]")) return;
  const action = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

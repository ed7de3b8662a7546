import type { TransitionConfig } from "svelte/transition";

/** Whether the user wants no movement. */
export function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const MOVE = 260;
const EASE = "cubic-bezier(.3,.7,.25,1)";

export interface Spot {
  readonly x: number;
  readonly y: number;
  /** Where a new one comes from. */
  readonly from?: { readonly x: number; readonly y: number };
  /** In the hand of the user: it is where the pointer is, at once. */
  readonly held?: boolean;
}

let isBrought = false;

/** The next stone that appears has been brought by hand: it is where it belongs already. */
export function bring(): void {
  isBrought = true;
  setTimeout(() => (isBrought = false));
}

const css = ({ x, y }: { x: number; y: number }) => `translate(${x}px, ${y}px)`;

/**
 * Puts a piece on its spot, and lets it glide there from where it was. The place itself changes at once; only the way
 * there is animated, so that nothing depends on an animation coming to its end.
 */
export function glide(element: SVGGElement, spot: Spot): { update(next: Spot): void } {
  let now = spot;
  element.style.transform = css(spot);
  const animate = (from: { x: number; y: number }, to: Spot) => {
    if (isStill()) return;
    element.animate([{ transform: css(from) }, { transform: css(to) }], { duration: MOVE, easing: EASE });
  };
  if (spot.from && !isBrought) animate(spot.from, spot);
  return {
    update(next) {
      if (next.x === now.x && next.y === now.y) return;
      element.style.transform = css(next);
      if (!next.held && !now.held) animate(now, next);
      now = next;
    },
  };
}

/** A piece that is taken fades. */
export function vanish(_: Element): TransitionConfig {
  return { duration: isStill() ? 0 : 240, css: (t) => `opacity: ${t}` };
}

/** Whether the user wants no movement. */
export function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const MOVE = 260;
const FADE = 240;
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

/** Sets properties of style one by one, which is allowed where attributes of style are forbidden. */
export function styled(
  element: HTMLElement,
  style: Partial<CSSStyleDeclaration>,
): { update(next: Partial<CSSStyleDeclaration>): void } {
  const update = (next: Partial<CSSStyleDeclaration>) => void Object.assign(element.style, next);
  update(style);
  return { update };
}

/** Puts a picture of a piece that is gone below the others, which fades. */
function fade(element: SVGGElement, parent: Element): void {
  const picture = element.cloneNode(true) as SVGGElement;
  delete picture.dataset["piece"];
  parent.insertBefore(picture, parent.querySelector("[data-piece]"));
  const gone = () => picture.remove();
  picture.animate([{ opacity: 1 }, { opacity: 0 }], FADE).finished.then(gone, gone);
}

/**
 * Puts a piece on its spot, lets it glide there from where it was, and fade when it is taken. The place itself changes at
 * once; only the way there is animated, so that nothing depends on an animation coming to its end.
 */
export function glide(element: SVGGElement, spot: Spot): { update(next: Spot): void; destroy(): void } {
  let now = spot;
  const parent = element.parentElement;
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
    destroy() {
      if (parent?.isConnected && !isStill()) fade(element, parent);
    },
  };
}

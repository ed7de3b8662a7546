/** Whether the user prefers reduced motion. */
export function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const MOVE = 260;
const FADE = 240;
const EASE = "cubic-bezier(.3,.7,.25,1)";

export interface Spot {
  readonly x: number;
  readonly y: number;
  /** Origin of a new piece. */
  readonly from?: { readonly x: number; readonly y: number };
  /** Held by the user: it follows the pointer at once. */
  readonly held?: boolean;
}

let isBrought = false;

/** Marks the next new stone as placed by hand: it is already in place. */
export function bring(): void {
  isBrought = true;
  setTimeout(() => (isBrought = false));
}

const css = ({ x, y }: { x: number; y: number }) => `translate(${x}px, ${y}px)`;

/** Sets style properties one by one, which is allowed where style attributes are forbidden. */
export function styled(
  element: HTMLElement,
  style: Partial<CSSStyleDeclaration>,
): { update(next: Partial<CSSStyleDeclaration>): void } {
  const update = (next: Partial<CSSStyleDeclaration>) => void Object.assign(element.style, next);
  update(style);
  return { update };
}

/** Adds a fading picture of a removed piece below the others. */
function fade(element: SVGGElement, parent: Element): void {
  const picture = element.cloneNode(true) as SVGGElement;
  delete picture.dataset["piece"];
  parent.insertBefore(picture, parent.querySelector("[data-piece]"));
  const gone = () => picture.remove();
  picture.animate([{ opacity: 1 }, { opacity: 0 }], FADE).finished.then(gone, gone);
}

/**
 * Places a piece on its spot, animates its way there, and fades it out when taken. The position itself changes at once;
 * only the way is animated, so that nothing depends on the end of an animation.
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

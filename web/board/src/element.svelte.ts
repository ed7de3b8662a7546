import { mount, unmount } from "svelte";
import Element from "./Element.svelte";
import { BOARD_NAMES, lookOf, STONE_NAMES } from "./looks.js";
import { click, type Pick } from "./pick.js";
import theme from "./theme.css?inline";
import type { Arrow, Badge, Layout, MoveParts, Placed, Side, Words } from "./types.js";
import { ENGLISH } from "./words.js";

/** A point was clicked, or chosen by the keyboard. A handler that prevents the default replaces the board's action. */
export type PointEvent = CustomEvent<{ readonly point: string }>;
/** A move was made: one of `moves`. The board shows it once it gets the pieces after it. */
export type MoveEvent = CustomEvent<MoveParts>;
/** The chosen part of a move. */
export type PickEvent = CustomEvent<Pick>;

// The module can also be imported without a document.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

function oneOf<T extends string>(value: string | null, names: readonly T[], what: string): T {
  if (value === null) return names[0] as T;
  if ((names as readonly string[]).includes(value)) return value as T;
  throw new TypeError(`${what} ${JSON.stringify(value)}, expected one of ${names.join(", ")}`);
}

const IVORY = Object.entries(lookOf("ivory", "oak"))
  .map(([name, value]) => value && `${name}:${value};`)
  .join("");

/**
 * `<millbrain-board>`: draws a layout with its pieces, and reports the player's actions. It knows no rules: `moves`
 * lists the possible actions.
 *
 * Attributes: `label`, `flipped`, `coordinates="off"`, `interactive`, `stones`, `wood`, `theme="light|dark"`. Data are
 * properties.
 *
 * Events: `board-point`, `board-pick`, `board-move`.
 */
export class MillbrainBoard extends Base {
  static readonly observedAttributes = ["label", "flipped", "coordinates", "interactive", "stones", "wood"];

  #layout = $state.raw<Layout | undefined>();
  #moves = $state.raw<readonly MoveParts[]>([]);
  #pick = $state.raw<Pick>({});
  #isOpen = $state.raw(false);
  /** The pieces on the board. */
  pieces = $state.raw<readonly Placed[]>([]);
  /** The side whose pieces `moves` places. */
  side = $state.raw<Side>("white");
  /** The last move, shown by marks on its origin and target. */
  last = $state.raw<{ readonly from?: string; readonly to: string } | undefined>();
  arrows = $state.raw<readonly Arrow[]>([]);
  /** Values by the names of their points. */
  badges = $state.raw<ReadonlyMap<string, Badge>>(new Map());
  /** Descriptions of points; English by default. */
  words = $state.raw<Words>(ENGLISH);
  /** Name of the board for screen readers. */
  label = $state.raw("Board");
  flipped = $state.raw(false);
  coordinates = $state.raw(true);

  /** Style properties set by an attribute. */
  readonly #worn: string[] = [];
  #content: Record<string, unknown> | undefined;

  constructor() {
    super();
    const style = document.createElement("style");
    style.textContent = `:host { display: block; ${IVORY} } ${theme}`;
    this.attachShadow({ mode: "open", delegatesFocus: true }).append(style);
    this.addEventListener("keydown", (event) => event.key === "Escape" && this.cancel());
  }

  /** The board: without it nothing is drawn. */
  get layout(): Layout | undefined {
    return this.#layout;
  }
  /** @throws {TypeError} an invalid layout */
  set layout(layout: Layout | undefined) {
    const isLayout = layout === undefined || [layout.points, layout.lines, layout.steps].every(Array.isArray);
    if (!isLayout)
      throw new TypeError(
        "no layout, expected an object with points, lines, steps, arrows, marked and kinds",
      );
    this.#layout = layout;
    this.#pick = {};
  }

  /** The possible moves of the side to move; without moves the board is a picture, unless it is `interactive`. */
  get moves(): readonly MoveParts[] {
    return this.#moves;
  }
  set moves(moves: readonly MoveParts[]) {
    this.#moves = moves;
    this.#pick = {};
  }

  /** Whether points can be clicked without moves, as in an editor. */
  get interactive(): boolean {
    return this.#isOpen || this.#moves.length > 0;
  }
  set interactive(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** The chosen part of a move. */
  get pick(): Pick {
    return this.#pick;
  }

  /** Cancels the choice. */
  cancel(): void {
    this.#choose({});
  }

  /** Acts like a click on a point. */
  press(point: string): void {
    const isLeft = this.#tell("board-point", { point });
    if (!isLeft || this.#moves.length === 0) return;
    const meant = click(this.#moves, this.#pick, point);
    if ("pick" in meant) return this.#choose(meant.pick);
    const move = this.#moves.find(({ text }) => text === meant.move);
    this.#choose({});
    this.#tell("board-move", move);
  }

  #choose(pick: Pick): void {
    if (pick.from === this.#pick.from && pick.to === this.#pick.to && pick.taken === this.#pick.taken) return;
    this.#pick = pick;
    this.#tell("board-pick", pick);
  }

  #tell(name: string, detail: unknown): boolean {
    return this.dispatchEvent(
      new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }),
    );
  }

  /** Colours chosen by an attribute are set in the element's own style; the page's style can set others. */
  #dress(): void {
    const [stones, wood] = [this.getAttribute("stones"), this.getAttribute("wood")];
    const look = lookOf(oneOf(stones, STONE_NAMES, "stones"), oneOf(wood, BOARD_NAMES, "wood"));
    for (const name of this.#worn.splice(0)) this.style.removeProperty(name);
    if (stones === null && wood === null) return;
    for (const [name, value] of Object.entries(look)) {
      if (value === undefined) continue;
      this.style.setProperty(name, value);
      this.#worn.push(name);
    }
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    if (name === "label") this.label = value ?? "Board";
    else if (name === "flipped") this.flipped = value !== null;
    else if (name === "coordinates") this.coordinates = value !== "off";
    else if (name === "interactive") this.interactive = value !== null;
    else this.#dress();
  }

  connectedCallback(): void {
    this.#content ??= mount(Element, { target: this.shadowRoot as ShadowRoot, props: { of: this } });
  }

  disconnectedCallback(): void {
    if (this.#content) void unmount(this.#content);
    this.#content = undefined;
  }
}

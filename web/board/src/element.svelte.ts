import { mount, unmount } from "svelte";
import Element from "./Element.svelte";
import { BOARD_NAMES, lookOf, STONE_NAMES } from "./looks.js";
import { click, type Pick } from "./pick.js";
import theme from "./theme.css?inline";
import type { Arrow, Badge, Layout, MoveParts, Placed, Side, Words } from "./types.js";
import { ENGLISH } from "./words.js";

/** A point that has been clicked, or chosen by the keyboard. Who prevents the default does with it what is to be done. */
export type PointEvent = CustomEvent<{ readonly point: string }>;
/** A move that has been made: one of `moves`. The board shows it once it is given the pieces after it. */
export type MoveEvent = CustomEvent<MoveParts>;
/** What has been chosen of a move so far. */
export type PickEvent = CustomEvent<Pick>;

// Where there is no document the module can be imported all the same.
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
 * `<millbrain-board>`: draws a layout and what stands on it, and tells what the player does. It knows no rules: what can be
 * done is what `moves` says.
 *
 * Attributes: `label`, `flipped`, `coordinates="off"`, `interactive`, `stones`, `wood`, `theme="light|dark"`. Data are properties.
 *
 * Events: `board-point`, `board-pick`, `board-move`.
 */
export class MillbrainBoard extends Base {
  static readonly observedAttributes = ["label", "flipped", "coordinates", "interactive", "stones", "wood"];

  #layout = $state.raw<Layout | undefined>();
  #moves = $state.raw<readonly MoveParts[]>([]);
  #pick = $state.raw<Pick>({});
  #isOpen = $state.raw(false);
  /** What stands on the board. */
  pieces = $state.raw<readonly Placed[]>([]);
  /** Whose pieces are put on the board by `moves`. */
  side = $state.raw<Side>("white");
  /** The last move, shown by marks where it went from and to. */
  last = $state.raw<{ readonly from?: string; readonly to: string } | undefined>();
  arrows = $state.raw<readonly Arrow[]>([]);
  /** Values by the names of their points. */
  badges = $state.raw<ReadonlyMap<string, Badge>>(new Map());
  /** What is said of points; English without it. */
  words = $state.raw<Words>(ENGLISH);
  /** What the board is called by those who hear it. */
  label = $state.raw("Board");
  flipped = $state.raw(false);
  coordinates = $state.raw(true);

  /** Properties of style that are there because of an attribute. */
  readonly #worn: string[] = [];
  #content: Record<string, unknown> | undefined;

  constructor() {
    super();
    const style = document.createElement("style");
    style.textContent = `:host { display: block; ${IVORY} } ${theme}`;
    this.attachShadow({ mode: "open", delegatesFocus: true }).append(style);
    this.addEventListener("keydown", (event) => event.key === "Escape" && this.cancel());
  }

  /** The board: nothing is drawn without it. */
  get layout(): Layout | undefined {
    return this.#layout;
  }
  /** @throws {TypeError} what is no layout */
  set layout(layout: Layout | undefined) {
    const isLayout = layout === undefined || (Array.isArray(layout.points) && Array.isArray(layout.lines));
    if (!isLayout)
      throw new TypeError("no layout, expected an object with points, lines, arrows, marked and kinds");
    this.#layout = layout;
    this.#pick = {};
  }

  /** What can be done now, by the side to move; without moves the board is a picture, unless it is `interactive`. */
  get moves(): readonly MoveParts[] {
    return this.#moves;
  }
  set moves(moves: readonly MoveParts[]) {
    this.#moves = moves;
    this.#pick = {};
  }

  /** Whether points can be clicked though there are no moves, as in an editor. */
  get interactive(): boolean {
    return this.#isOpen || this.#moves.length > 0;
  }
  set interactive(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** What has been chosen of a move so far. */
  get pick(): Pick {
    return this.#pick;
  }

  /** Calls off what has been chosen. */
  cancel(): void {
    this.#choose({});
  }

  /** As if a point were clicked. */
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

  /** Colours that are chosen by an attribute are the element's own style; others can be set by that of the page. */
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

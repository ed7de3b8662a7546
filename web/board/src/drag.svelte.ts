interface Spot {
  readonly x: number;
  readonly y: number;
}

/** What the board tells about itself, at the moment when it is asked. */
export interface Draggable {
  /** Where the pointer is in the units of the board. */
  at(event: PointerEvent): Spot;
  canLift(point: string): boolean;
  canDrop(point: string): boolean;
  /** The point near a spot. */
  near(spot: Spot): string | undefined;
  /** Takes the pointer, so that it may leave the board. */
  capture(event: PointerEvent): void;
  choose(point: string): void;
  isChosen(point: string): boolean;
  cancel(): void;
}

/** So many pixels the pointer moves before it is a drag: clicks stay clicks. */
const SLACK = 8;

/** Lifting a man, carrying it, and putting it down: two clicks, as far as the game is concerned. */
export class Drag {
  held = $state.raw<{ point: string; x: number; y: number } | undefined>();
  #press: { point: string; x: number; y: number } | undefined;
  #wasDrag = false;

  constructor(readonly board: Draggable) {}

  down(event: PointerEvent, point: string): void {
    this.#wasDrag = false;
    if (event.button === 0 && this.board.canLift(point))
      this.#press = { point, x: event.clientX, y: event.clientY };
  }

  move = (event: PointerEvent): void => {
    const press = this.#press;
    if (!press) return;
    if (!this.held) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < SLACK) return;
      this.board.capture(event);
      if (!this.board.isChosen(press.point)) this.board.choose(press.point);
    }
    this.held = { point: press.point, ...this.board.at(event) };
  };

  up = (event: PointerEvent): void => {
    const { held } = this;
    this.cancel();
    if (!held) return;
    this.#wasDrag = true;
    // Enter on a point is a click too, and no drag comes before it.
    setTimeout(() => (this.#wasDrag = false));
    const target = this.board.near(this.board.at(event));
    if (target !== undefined && this.board.canDrop(target)) this.board.choose(target);
    else if (target !== held.point) this.board.cancel();
  };

  cancel = (): void => {
    this.#press = undefined;
    this.held = undefined;
  };

  /** Whether a click is one, and not the end of a drag. */
  isClick(): boolean {
    return !this.#wasDrag;
  }
}

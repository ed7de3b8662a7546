interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The board's state and actions for dragging, read on demand. */
export interface Draggable {
  /** Returns the pointer's position in the units of the board. */
  at(event: PointerEvent): Spot;
  canLift(point: string): boolean;
  canDrop(point: string): boolean;
  /** Returns the point near a spot. */
  near(spot: Spot): string | undefined;
  /** Captures the pointer, so that it may leave the board. */
  capture(event: PointerEvent): void;
  choose(point: string): void;
  isChosen(point: string): boolean;
  cancel(): void;
}

/** Pixels that the pointer must move to start a drag, so that clicks remain clicks. */
const SLACK = 8;

/** Dragging a man: lifting, carrying, and dropping it. For the game this is two clicks. */
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
    // Enter on a point is a click too, without a drag before it.
    setTimeout(() => (this.#wasDrag = false));
    const target = this.board.near(this.board.at(event));
    if (target !== undefined && this.board.canDrop(target)) this.board.choose(target);
    else if (target !== held.point) this.board.cancel();
  };

  cancel = (): void => {
    this.#press = undefined;
    this.held = undefined;
  };

  /** Whether a click is a real one, not the end of a drag. */
  isClick(): boolean {
    return !this.#wasDrag;
  }
}

import type { Side } from "millbrain";
import { bring, choice } from "@millbrain/board/model";
import type { GameOnBoard } from "./board.svelte.js";

/** A stone being dragged from the hand to the board. */
class Hand {
  /** Its position on the screen, and the size of the board's points there. */
  held = $state.raw<{ side: Side; x: number; y: number; size: number } | undefined>();

  /** Whether a stone of this side can be dragged from the hand now. */
  canLift({ canMove, state, legal }: GameOnBoard, side: Side): boolean {
    return canMove && state.side === side && choice(legal, {}).targets.size > 0;
  }

  lift(event: PointerEvent, game: GameOnBoard, side: Side): void {
    if (event.button !== 0 || !this.canLift(game, side)) return;
    event.preventDefault();
    game.cancel();
    const point = document.querySelector(".play .points button");
    const size = point?.getBoundingClientRect().width ?? 60;
    const follow = ({ clientX, clientY }: PointerEvent) => {
      this.held = { side, x: clientX, y: clientY, size };
    };
    const end = new AbortController();
    const { signal } = end;
    follow(event);
    addEventListener("pointermove", follow, { signal });
    addEventListener(
      "pointerup",
      ({ clientX, clientY }) => {
        end.abort();
        this.held = undefined;
        const under = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>(".play [data-point]");
        const name = under?.dataset["point"];
        if (name === undefined || !choice(game.legal, {}).targets.has(name)) return;
        bring();
        game.click(name);
      },
      { signal },
    );
    addEventListener(
      "pointercancel",
      () => {
        end.abort();
        this.held = undefined;
      },
      { signal },
    );
  }
}

export const hand = new Hand();

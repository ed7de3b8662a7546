import type { Side } from "millbrain";
import { bring, choice } from "@millbrain/board/model";
import { session } from "./session.svelte.js";

/** A stone on its way from the hand to the board. */
class Hand {
  /** Where on the screen it is, and how large the points of the board are there. */
  held = $state.raw<{ side: Side; x: number; y: number; size: number } | undefined>();

  /** Whether stones of this side can be taken from beside the board now. */
  canLift(side: Side): boolean {
    return session.canMove && session.state.side === side && choice(session.legal, {}).targets.size > 0;
  }

  lift(event: PointerEvent, side: Side): void {
    if (event.button !== 0 || !this.canLift(side)) return;
    event.preventDefault();
    session.cancel();
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
        if (name === undefined || !choice(session.legal, {}).targets.has(name)) return;
        bring();
        session.click(name);
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

import { beforeAll, expect, test } from "vitest";
import { choice, type Pick } from "@millbrain/board/model";
import { loadRules, rules } from "../src/engine/rules.js";
import { refusal } from "../src/game/refusal.js";

beforeAll(() => loadRules());

function situation(variant: string, { fen, moves }: { fen?: string; moves?: string[] }, pick: Pick = {}) {
  const state = rules().state({ variant }, { fen, moves });
  return { state, layout: rules().layout({ variant }), legal: state.moves, pick };
}

test("a click that does nothing says why", () => {
  const reported = (at: ReturnType<typeof situation>, point: string) => refusal(at, point)?.key;
  const placing = situation("morris", { moves: ["d6", "f4"] });
  expect([reported(placing, "d6"), reported(placing, "f4"), reported(placing, "a1")]).toEqual([
    "refused.hand",
    "refused.other",
    undefined,
  ]);
  // A blocked stone has no free neighbour.
  const moving = { fen: "OXO/3/3/X5/3/3/OXO w 0 0 0 1" };
  const free = situation("mlyn", moving);
  expect([reported(free, "a7"), reported(free, "g7"), reported(free, "d7"), reported(free, "e5")]).toEqual([
    "refused.blocked",
    undefined,
    "refused.other",
    "refused.choose",
  ]);
  const chosen = situation("mlyn", moving, { from: "g7" });
  expect([
    reported(chosen, "g7"),
    reported(chosen, "g4"),
    reported(chosen, "e5"),
    reported(chosen, "g1"),
  ]).toEqual([undefined, undefined, "refused.to", undefined]);
  expect(refusal(chosen, "e5")).toMatchObject({ from: "g7", point: "e5" });
  // Black has a mill and a stone outside it.
  const closing = situation("morris", { fen: "OO1/3/3/6/3/X2/XXX w 6 4 0 1" }, { to: "g7" });
  expect([
    reported(closing, "b2"),
    reported(closing, "d1"),
    reported(closing, "a7"),
    reported(closing, "f6"),
  ]).toEqual([undefined, "refused.protected", "refused.take", "refused.take"]);
  expect(reported(closing, "g7")).toBeUndefined();
  expect(reported(situation("smess", {}), "d1")).toBe("refused.blocked");
  expect(reported(situation("lasker", { moves: ["d6", "f4"] }), "d6")).toBeUndefined();
});

test("nothing that can be chosen is refused, in any variant", () => {
  for (const { name } of rules().variants()) {
    let moves: string[] = [];
    for (let ply = 0; ply < 40; ply++) {
      const at = situation(name, { moves });
      if (at.state.ending) break;
      const { sources, targets } = choice(at.legal, {});
      for (const { name: point } of at.layout.points) {
        const isOpen = sources.has(point) || targets.has(point);
        expect(refusal(at, point) === undefined, `${name} ${moves.join(" ")} ${point}`).toBe(isOpen);
      }
      moves = [...moves, at.legal[(ply * 7919) % at.legal.length]!.text];
    }
  }
});

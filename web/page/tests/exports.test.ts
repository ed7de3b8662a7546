import fc from "fast-check";
import { type GameFormat, type GameText, NotationError } from "millbrain";
import { beforeAll, expect, test } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { readLink, writeLink } from "../src/game/share.js";
import { lineOf, ofRules, OUTCOMES, resignation, SIDES, TERMINATIONS } from "../src/game/text.js";

beforeAll(() => loadRules());

/** Ends outside the rules, and no end. For most formats a game without a result is in progress. */
const ENDS: readonly GameText["end"][] = [
  undefined,
  ...SIDES.map(resignation),
  ...TERMINATIONS.filter((name) => !["normal", "unterminated"].includes(name)).flatMap((termination) =>
    OUTCOMES.filter((outcome) => outcome !== "none").map((outcome) => ({
      outcome,
      termination,
      reason: "said so",
    })),
  ),
];

/** Returns a game with at most this many plies, chosen by a number; it ends by the rules if it gets that far. */
function game(variant: string, plies: number, seed: number, end: GameText["end"]): GameText {
  const moves: string[] = [];
  let state = rules().state({ variant });
  for (
    let next = seed;
    moves.length < plies && !state.ending;
    next = (next * 1_103_515_245 + 12_345) % 2 ** 31
  ) {
    // Lively games end: captures are preferred.
    const takes = state.moves.filter(({ taken }) => taken.length > 0);
    const from = takes.length > 0 ? takes : state.moves;
    moves.push(from[(next >> 8) % from.length]!.text);
    state = rules().state({ variant }, { moves });
  }
  const last = state.ending ? ofRules(state.ending) : end;
  const nodes = lineOf(moves.map((move) => ({ move })));
  return { variant, options: {}, white: "a", black: "b", nodes, ...(last ? { end: last } : {}) };
}

test("any game with any end comes back from every export that has a place for it", () => {
  const variants = rules()
    .variants()
    .map(({ name }) => name);
  const seen = new Set<string>();
  const came = fc.property(
    fc.constantFrom(...variants),
    fc.constantFrom(0, 1, 30, 120),
    fc.nat(),
    fc.constantFrom(...ENDS),
    (variant, plies, seed, end) => {
      const reported = game(variant, plies, seed, end);
      const moves = reported.nodes.map(({ move }) => move);
      seen.add(reported.end?.reason ?? "none");
      for (const format of ["record", "sgf", "sanmill", "mif"] as const satisfies readonly GameFormat[]) {
        let text: string;
        try {
          text = rules().writeGame(reported, format);
        } catch (error) {
          // Only records support all families and rules.
          expect(error).toBeInstanceOf(NotationError);
          expect(format, variant).not.toBe("record");
          continue;
        }
        // A list without moves is not a game.
        if (format === "sanmill" && moves.length === 0) continue;
        const [again] = rules().readGames(text, { variant }).games;
        if (format === "record" || format === "sgf") expect(again).toEqual(reported);
        else expect(again?.nodes.map(({ move }) => move)).toEqual(moves);
        if (format === "mif") expect([again?.variant, again?.end]).toEqual([variant, reported.end]);
      }
      expect(readLink(writeLink({ rules: { variant }, moves }))?.moves).toEqual(moves);
    },
  );
  fc.assert(came, { numRuns: 40 });
  // Always more than one, whatever the random choice.
  expect(seen.size).toBeGreaterThan(1);
});

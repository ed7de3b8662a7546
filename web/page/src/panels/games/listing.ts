import type { Side } from "millbrain";
import { rules as engineRules } from "../../engine/rules.js";
import { type Findable, fold } from "../../game/find.js";
import { isReviewed, mistakesOf } from "../../game/result.js";
import { type Outcome, SIDES } from "../../game/text.js";
import { leaf, moves, path } from "../../game/tree.js";
import { variantInfo } from "../../game/variants.js";
import { named, sideName, t } from "../../i18n/index.svelte.js";
import type { ListedGame } from "../../store/games/stored.js";
import { variantName, variantNames } from "../../texts/words.js";

/** Results in common notations. */
const RESULTS: Record<Outcome, string> = {
  white: "1-0 1:0",
  black: "0-1 0:1",
  draw: "1/2-1/2 1/2:1/2 0.5-0.5",
  none: "*",
};

/** Returns the searchable parts of a game of the list. */
export function findable({ rules, white, black, outcome, tree, at, facts }: ListedGame): Findable {
  const winner =
    outcome === "draw" || outcome === "none"
      ? t(outcome === "draw" ? "draw" : "noResult")
      : outcome && t("wins", { side: sideName(outcome, rules.variant) });
  const info = variantInfo(rules.variant);
  const names = info ? [info.name, ...info.aliases, variantNames(info)] : [rules.variant];
  const result = outcome ? `${RESULTS[outcome]} ${winner}` : `* ${t("unfinished")}`;
  const reported = (facts?.tags ?? []).map(([, value]) => value);
  return {
    text: fold([white, black, variantName(rules), ...names, result, ...reported].join(" ")),
    moves: moves(tree, leaf(tree, at)),
  };
}

/** Returns the side that moves first; `undefined` if the first position is invalid. */
function firstOf({ rules, fen }: ListedGame): Side | undefined {
  try {
    return engineRules().state(rules, { fen }).side;
  } catch {
    return undefined;
  }
}

/** Describes the mistakes in a game, visually and for screen readers; `undefined` before a review. */
export function mistakesText(game: ListedGame): { seen: string; said: string } | undefined {
  const played = path(game.tree, leaf(game.tree, game.at));
  // The rules are slower than all else in a long list.
  const first = isReviewed(played) ? firstOf(game) : undefined;
  const mistakes = first && mistakesOf(played, first);
  if (mistakes === undefined) return undefined;
  const tell = (words: (mark: string, n: number) => string) =>
    SIDES.filter((side) => mistakes[side].size > 0)
      .map(
        (side) =>
          `${sideName(side, game.rules.variant)} ${[...mistakes[side]].map(([mark, n]) => words(mark, n)).join(", ")}`,
      )
      .join(" · ");
  const seen = tell((mark, n) => `${n} ${mark}`);
  if (seen === "") return { seen: t("noMistakes"), said: t("noMistakes") };
  return { seen, said: tell((mark, n) => `${named("mark", mark)}: ${n}`) };
}

import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { finder, fold } from "../src/game/find.js";
import { line, update } from "../src/game/tree.js";
import { loadLanguage } from "../src/i18n/index.svelte.js";
import { findable, mistakesText } from "../src/panels/games/listing.js";
import { outcomeText, variantName } from "../src/texts/words.js";
import type { ListedGame } from "../src/store/games/stored.js";

// German, so that names have accents.
vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["de"] }));

beforeAll(() => Promise.all([loadRules(), loadLanguage()]));

function listed(played: readonly string[], more: Partial<ListedGame> = {}): ListedGame {
  const [tree, at] = line(played);
  const rules = { variant: "morris" } as const;
  return { key: "k", saved: 0, rules, tree, at, white: "Jana Šimková", black: "Bob", plies: at, ...more };
}

const finds = (query: string, game: ListedGame) => finder(query)(findable(game));

test("games are found by names, variant, result and opening moves, in any order", () => {
  const game = listed(["d6", "f4", "a1"], { outcome: "white" });
  for (const query of [
    "",
    " ",
    "jana",
    "SIMKOVA",
    "šimk bob",
    "morris",
    "1-0",
    "1 : 0",
    "1:0",
    "1–0",
    "d6",
    "1. d6 f4",
  ])
    expect(finds(query, game), query).toBe(true);
  for (const query of ["d6 f", "d6,f4,a1", "bob d6 jana f4", "weiß", "d6 f4 1-0"])
    expect(finds(query, game), query).toBe(true);
  for (const query of ["anna", "0-1", "½", "f4", "d6 a1", "d6 f4 a1 a4", "jana carl", "smess", "d d6"])
    expect(finds(query, game), query).toBe(false);
});

test("every game is found by what the list shows of it", () => {
  for (const { name } of rules().variants()) {
    for (const outcome of ["white", "black", "draw"] as const) {
      const game = listed([], { rules: { variant: name }, outcome });
      expect(finds(variantName(game.rules), game), name).toBe(true);
      expect(finds(name, game)).toBe(true);
      expect(finds(outcomeText(outcome), game), outcome).toBe(true);
      expect(["1-0", "0-1", "1/2-1/2"].filter((result) => finds(result, game))).toHaveLength(1);
    }
  }
  expect(finds("a2-a3", listed(["a2a3"], { rules: { variant: "smess" } }))).toBe(true);
  for (const outcome of [undefined, "draw"] as const)
    expect(finds("offen", listed([], { outcome }))).toBe(outcome === undefined);
});

test("more words never find more, and any text is a query", () => {
  const games = [listed(["d6", "f4"]), listed(["a7"], { white: "d6", outcome: "draw" }), listed([])];
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("jana", "remis", "zz", "0-1"), (query, word) => {
      for (const game of games) {
        if (finds(`${word} ${query}`, game)) expect(finds(word, game)).toBe(true);
      }
      expect(fold(fold(query))).toBe(fold(query));
    }),
  );
});

test("the list tells the mistakes of games that have been gone through", () => {
  const game = listed(["d6", "f4", "a1"]);
  expect(mistakesText(game)).toBeUndefined();
  const none = update(game.tree, 1, { loss: 0 });
  expect(mistakesText({ ...game, tree: none })?.seen).toBe("Keine Fehler gefunden.");
  const tree = update(update(none, 2, { loss: 0.4, mark: "??" }), 3, { loss: 0.1, mark: "?!" });
  expect(mistakesText({ ...game, tree })?.seen).toBe("Weiß 1 ?! · Schwarz 1 ??");
  expect(mistakesText({ ...game, tree, fen: "none" })).toBeUndefined();
  const { fen } = rules().state(game.rules, { moves: ["d2"] });
  expect(mistakesText({ ...game, tree, fen })?.seen).toBe("Weiß 1 ?? · Schwarz 1 ?!");
  expect(mistakesText({ ...game, tree })?.said).not.toMatch(/\?/);
});

// The game files of tests/data/games: what comes into the list of each is what expected.json says.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { nodesOf, ofRules, resultText } from "../src/game/text.js";
import { leaf, moves, nodeOf, ROOT } from "../src/game/tree.js";
import { readAll } from "../src/store/games/read.js";
import { type ListedGame, readListed } from "../src/store/games/stored.js";

// The texts read the browser's languages, if there is a browser.
vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["en"] }));

beforeAll(() => loadRules());

const folder = new URL("../../../tests/data/games/", import.meta.url);
type Expected = Readonly<Record<string, unknown>> & { readonly rules?: string };

/** A game as the file of expectations has it: without what is usual. Its list does not tell what was tolerated. */
function said({ rules, fen, white, black, tree, closed, facts }: ListedGame): Expected {
  const line = moves(tree, leaf(tree, ROOT));
  const { ending } = engineRules().state(rules, { fen, moves: line });
  const end = closed ?? (ending ? ofRules(ending) : undefined);
  const nodes = nodesOf(tree);
  const known = (name: string) => (name === "–" ? "" : name);
  const reported = {
    variant: rules.variant === "morris" ? "" : rules.variant,
    rules: Object.entries(rules.options ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(","),
    white: known(white),
    black: known(black),
    fen: fen ?? "",
    nodes: nodes.length === line.length ? "" : nodes.length,
    comment: nodeOf(tree, ROOT).comment ?? "",
    comments: nodes.flatMap(({ before, comment }) => [before ?? [], comment ?? []].flat()).sort(),
    marks: nodes.flatMap(({ marks }) => marks ?? []),
    clocks: nodes.flatMap(({ clock }) => clock ?? []),
    tags: facts?.tags ?? [],
    result: end && end.outcome !== "none" ? resultText(end.outcome) : "",
    termination: end?.termination ?? "",
    reason: end?.reason ?? "",
  };
  const isUsual = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0);
  const parts = Object.entries(reported).filter(([, value]) => !isUsual(value));
  return { moves: line.join(" "), ...Object.fromEntries(parts) };
}

test("all files of the corpus come into the list as expected", async () => {
  const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
  const expected = JSON.parse(read("expected.json")) as Record<string, Expected[]>;
  expect(Object.keys(expected).length).toBeGreaterThanOrEqual(200);
  for (const [name, all] of Object.entries(expected)) {
    const { games, bad } = await readAll(read(name), { variant: "morris" }, new AbortController().signal);
    // As they come back from the database.
    const found = games.map((game) => said(readListed(structuredClone(game)) as ListedGame));
    for (const { number, line, fault } of bad) found.splice(number - 1, 0, { error: fault.message, line });
    const plain = all.map(({ notes: _, rules, ...game }) =>
      rules === undefined ? game : { ...game, rules: rules.split(",").sort().join(",") },
    );
    expect(found, name).toEqual(plain);
  }
});

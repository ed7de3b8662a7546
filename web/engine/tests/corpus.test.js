// The game files of tests/data/games: what is read of each is what expected.json says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Rules } from "../dist/index-node.js";

const folder = new URL("../../../tests/data/games/", import.meta.url);
const RESULTS = { white: "1-0", black: "0-1", draw: "1/2-1/2", none: "*" };

/** A game as the file of expectations has it: without what is usual. */
function said({ variant, options, white, black, fen, nodes, comment, tags, end }, notes) {
  const moves = [];
  for (let at = 0, next; (next = nodes.findIndex(({ parent }) => parent === at)) >= 0; at = next + 1) {
    moves.push(nodes[next].move);
  }
  const all = (of) => nodes.flatMap(of).filter((value) => value !== undefined && value !== "");
  const reported = {
    variant: variant === "morris" ? "" : variant,
    rules: Object.entries(options).map(([name, value]) => `${name}=${value}`).join(","),
    white,
    black,
    fen,
    nodes: nodes.length === moves.length ? "" : nodes.length,
    comment,
    comments: all(({ before, comment }) => [before, comment]).sort(),
    marks: all(({ marks }) => marks ?? []),
    clocks: all(({ clock }) => [clock]),
    tags: tags ?? [],
    notes,
    ...(end && {
      result: end.outcome === "none" ? "" : RESULTS[end.outcome],
      termination: end.termination,
      reason: end.reason,
    }),
  };
  const isUsual = (value) => value === undefined || value === "" || value.length === 0;
  const unusual = Object.entries(reported).filter(([, value]) => !isUsual(value));
  return { moves: moves.join(" "), ...Object.fromEntries(unusual) };
}

/** The same with the house rules in one order. */
const sorted = ({ rules, ...game }) =>
  rules === undefined ? game : { ...game, rules: rules.split(",").sort().join(",") };

test("all files of the corpus are read as expected", async () => {
  const rules = await Rules.create();
  const expected = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8"));
  assert.ok(Object.keys(expected).length >= 200);
  for (const [name, games] of Object.entries(expected)) {
    const text = readFileSync(new URL(name, folder), "utf8");
    let found = [];
    try {
      const { games: read, notes = [], faults = [] } = rules.readGames(text, { variant: "morris" });
      const bad = new Map(faults.map(({ number, line, message }) => [number, { error: message, line }]));
      const good = read.values();
      for (let number = 1; number <= read.length + faults.length; number += 1) {
        const own = notes
          .filter((note) => note.startsWith(`game ${number} in line `))
          .map((note) => note.replace(/^game \d+ in line \d+: /, ""));
        found.push(bad.get(number) ?? said(good.next().value, own));
      }
    } catch (error) {
      // Where no game can be read, the first fault.
      assert.equal(error.name, "NotationError");
      assert.ok(games.every((game) => "error" in game), `${name}: ${error.message}`);
      const nothing = "the text holds no moves, expected games as records, PGN, SGF, in MIF, or as lists of moves";
      assert.equal(error.message, games[0]?.error ?? nothing);
      found = games;
    }
    assert.deepEqual(found.map(sorted), games.map(sorted), name);
  }
});

// Writes the boards and positions of the examples as data, as the package `millbrain` provides them.
import { writeFileSync } from "node:fs";
import { Rules } from "millbrain";

/** Positions with possible moves, by name of the variant. */
const POSITIONS = {
  morris: { fen: "OO1/3/2O/5O/1XX/3/X2 w 0 0 0 1" },
  morabaraba: { moves: ["d6", "f4", "d2", "b4", "f6", "f2"] },
  smess: {},
};

const rules = await Rules.create({ games: false });
const boards = Object.entries(POSITIONS).map(([variant, position]) => {
  const { symmetries: _, rows: __, hand: ___, ...layout } = rules.layout({ variant });
  const { pieces, side, moves } = rules.state({ variant }, position);
  const last = position.moves && rules.parts({ variant }, position.moves.at(-1));
  return [variant, { layout, pieces, side, moves, ...(last ? { last } : {}) }];
});
const text = `export const boards = ${JSON.stringify(Object.fromEntries(boards), null, 1)};\n`;
writeFileSync(new URL("../examples/boards.js", import.meta.url), text);

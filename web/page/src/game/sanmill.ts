import type { MoveParts, Ruleset } from "millbrain";
import { Fault, quoted } from "./fault.js";
import { readMove } from "./moves.js";

/**
 * The move lists of Sanmill: numbered rows, a stone that moves as `a4-a7`, a stone that is taken as a word of its own
 * after the move that closes the mill:
 *
 *     1.    d6    f4
 *     2.    a4-a7 xg1    d2
 */
export function writeSanmill(moves: readonly MoveParts[]): string {
  const cells = moves.map(
    ({ from, to, taken }) =>
      `${from === undefined ? "" : `${from}-`}${to}${taken.map((point) => ` x${point}`).join("")}`,
  );
  const rows: string[] = [];
  for (let i = 0; i < cells.length; i += 2)
    rows.push([`${i / 2 + 1}.`, ...cells.slice(i, i + 2)].join("    "));
  return rows.map((row) => `${row}\n`).join("");
}

/** Reads such a list, and plain lists of moves in our own notation too. */
export function readSanmill(text: string, rules: Ruleset): string[] {
  const moves: string[] = [];
  const body = text
    .split("\n")
    .filter((line) => !line.startsWith("["))
    .join(" ")
    .replace(/\{[^}]*\}/g, " ");
  for (const word of body.split(/[\s,]+/)) {
    // A number before a move, not the one in `0.5-0.5`.
    const bare = word.toLowerCase().replace(/^\d+\.+(?!\d)/, "");
    if (bare === "" || /^(\*|1-0|0-1|1\/2-1\/2|0\.5-0\.5)$/.test(bare)) continue;
    if (/^x[a-g][1-8]$/.test(bare)) {
      const last = moves.pop();
      if (last === undefined) throw new Fault("fault.earlyRemoval", { text: quoted(word) });
      moves.push(readMove(last + bare, moves.length + 1, rules));
    } else moves.push(readMove(bare, moves.length + 1, rules));
  }
  return moves;
}

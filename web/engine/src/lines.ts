import type { Limits, OptionValues, Position, Ruleset } from "./types.js";

/** The lines that set options. */
export function optionLines(options: OptionValues): string[] {
  return Object.entries(options).map(([name, value]) => `setoption name ${name} value ${value}`);
}

/** The lines that set rules: the variant, which brings its own, and what differs from them. */
export function rulesLines({ variant, options = {} }: Ruleset): string[] {
  return [`setoption name UCI_Variant value ${variant}`, ...optionLines(options)];
}

/** The line that sets up a position. */
export function positionLine({ fen, moves = [] }: Position): string {
  const start = fen === undefined ? "startpos" : `fen ${fen}`;
  return moves.length === 0 ? `position ${start}` : `position ${start} moves ${moves.join(" ")}`;
}

/** The line that begins a search. */
export function goLine({ searchmoves, ...numbers }: Limits): string {
  const words = ["go"];
  for (const [name, value] of Object.entries(numbers)) words.push(name, String(value));
  if (words.length === 1) words.push("infinite");
  if (searchmoves !== undefined) words.push("searchmoves", ...searchmoves);
  return words.join(" ");
}

import { checkedLimits, checkedOptions, checkedRules, checkPosition } from "../checks.js";
import { EngineError, type Limits, type OptionValues, type Position, type Ruleset } from "../types.js";

/** Checks that a line of the protocol has no line break, which would make it two lines. */
export function oneLine(line: string): string {
  if (!/[\r\n]/.test(line)) return line;
  throw new EngineError(`${JSON.stringify(line)} has a line break, expected one line`);
}

/** Returns the line of a message besides answers. */
export const noteLine = (words: string): string => `info string ${words}`;

/** Returns the lines that set options. */
export function optionLines(options: OptionValues): string[] {
  const line = ([name, value]: [string, unknown]) => oneLine(`setoption name ${name} value ${value}`);
  return Object.entries(checkedOptions(options)).map(line);
}

/** Returns the lines that set rules: the variant with its own rules, and then the differences. */
export function rulesLines(rules: Ruleset): string[] {
  const { variant, options = {} } = checkedRules(rules);
  return [oneLine(`setoption name UCI_Variant value ${variant}`), ...optionLines(options)];
}

/** Returns the line that sets up a position. */
export function positionLine(position: Position): string {
  checkPosition(position);
  const { fen, moves = [] } = position;
  const start = fen === undefined ? "startpos" : `fen ${fen}`;
  return oneLine(moves.length === 0 ? `position ${start}` : `position ${start} moves ${moves.join(" ")}`);
}

/** Returns the line that starts a search. */
export function goLine(limits: Limits): string {
  const { searchmoves, ...numbers } = checkedLimits(limits);
  const words = ["go"];
  for (const [name, value] of Object.entries(numbers)) words.push(name, String(value));
  if (words.length === 1) words.push("infinite");
  if (searchmoves !== undefined) words.push("searchmoves", ...searchmoves);
  return oneLine(words.join(" "));
}

import type { Ruleset } from "millbrain";
import { rules } from "../engine/rules.js";
import { Fault, quoted } from "./fault.js";

/** Whether a text is a move under these rules, in the engine's notation. */
export function isMove(text: string, ruleset: Ruleset): boolean {
  return rules().parts(ruleset, text)?.text === text;
}

/**
 * Converts a move of external text to the engine's notation. The engine also accepts `A4-A7` and `a4a7-xg1`.
 * @throws {Fault} with the number of the move, if it is invalid
 */
export function readMove(text: string, number: number, ruleset: Ruleset): string {
  const parts = rules().parts(ruleset, text);
  if (parts === null) throw new Fault("move.unreadable", { number, move: quoted(text) });
  return parts.text;
}

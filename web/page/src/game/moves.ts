import type { Ruleset } from "millbrain";
import { rules } from "../engine/rules.js";
import { Fault, quoted } from "./fault.js";

/** Whether a text is a move by these rules, as the engine writes it. */
export function isMove(text: string, ruleset: Ruleset): boolean {
  return rules().parts(ruleset, text)?.text === text;
}

/**
 * A move of a text from outside in the engine's form. The engine understands `A4-A7` and `a4a7-xg1` too.
 * @throws {Fault} with the number of the move, when it is none
 */
export function readMove(text: string, number: number, ruleset: Ruleset): string {
  const parts = rules().parts(ruleset, text);
  if (parts === null) throw new Fault("move.unreadable", { number, move: quoted(text) });
  return parts.text;
}

import { Fault, quoted } from "./fault.js";

/** A move as the engine writes it. Everything on the page that shows moves relies on this form. */
export const MOVE = /^[a-g][1-8]([a-g][1-8])?(x[a-g][1-8])?$/;

/**
 * A move of a text from outside in the engine's form. The engine understands `A4-A7` and `a4a7-xg1` too.
 * @throws {Fault} with the number of the move, when it is none
 */
export function readMove(text: string, number: number): string {
  const move = text.toLowerCase().replaceAll("-", "");
  if (!MOVE.test(move)) throw new Fault("fault.move", { number, text: quoted(text) });
  return move;
}

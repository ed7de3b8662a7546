import { type OptionValues, type Score, type Side, type Variant } from "millbrain";

export type Outcome = Side | "draw";

/** A move, and what is told of it. */
export interface PlayedMove {
  move: string;
  /** Milliseconds; none for a move of an opening. */
  time?: number;
  /** From the side that moved. */
  said?: { score: Score; depth: number };
}

/** A game as it goes to and comes from files: its main line only. */
export interface GameText {
  variant: Variant;
  /** House rules: what differs from the variant. */
  options?: OptionValues;
  white: string;
  black: string;
  whiteTime?: string;
  blackTime?: string;
  /** The first position, where it is not the start of the game. */
  fen?: string;
  moves: PlayedMove[];
  outcome?: Outcome;
  /** The engine's words. */
  reason?: string;
  /** Who has resigned. */
  resigned?: Side;
}

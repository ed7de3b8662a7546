import { type Ending, type OptionValues, type Score, type Side, type Variant } from "millbrain";

export const OUTCOMES = ["white", "black", "draw"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What has ended a game, as the match runner's records tell it: the rules, or something else. */
export const TERMINATIONS = [
  "normal",
  "adjudication",
  "time forfeit",
  "illegal move",
  "crash",
  "stall",
] as const;
export type Termination = (typeof TERMINATIONS)[number];

/** How a game has ended. */
export interface GameEnd {
  readonly outcome: Outcome;
  /** The engine's words, those of the match runner, or `white resigns`. */
  readonly reason: string;
  readonly termination: Termination;
}

export const SIDES = ["white", "black"] as const;
export const other = (side: Side): Side => (side === "white" ? "black" : "white");

export function resignation(side: Side): GameEnd {
  return { outcome: other(side), reason: `${side} resigns`, termination: "adjudication" };
}

/** Who has resigned, if that is what a reason says. */
export function resigned(reason: string): Side | undefined {
  return SIDES.find((side) => reason === `${side} resigns`);
}

/** What has ended the game by the rules: nothing else needs to be told, since the rules tell it again. */
export const ofRules = ({ winner, reason }: Ending): GameEnd => ({
  outcome: winner ?? "draw",
  reason,
  termination: "normal",
});

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
  /** Nothing while the game is not over. */
  end?: GameEnd;
}

/** The seven variants. */
export const VARIANTS = ["morris", "muehle", "mylos", "mlyn", "lasker", "morabaraba", "smess"] as const;
/** A variant, the name of a rule set. */
export type Variant = (typeof VARIANTS)[number];
/** The two players; White moves first. */
export type Side = "white" | "black";
/** Values of options by name, such as `{ Threads: 2, Flying: false }`. */
export type OptionValues = Readonly<Record<string, string | number | boolean>>;

/** The rules of a game: a variant, and the rule options that differ from it. */
export interface Ruleset {
  readonly variant: Variant;
  /** House rules: options such as `Stones`, `Flying`, `Removal`, `Board`, `No Mill Draw`, `Repetition Draw`. */
  readonly options?: OptionValues;
}

/** A position and how it came about: the draw rules take the moves into account. */
export interface Position {
  /** A FEN; without one, the start of the game. */
  readonly fen?: string | undefined;
  readonly moves?: readonly string[];
}

/** How a game has ended. */
export interface Ending {
  readonly winner: Side | null;
  /** The engine's words, such as `fewer than three stones` or `threefold repetition`. */
  readonly reason: string;
}

/** What is on the board. */
export interface State {
  readonly variant: Variant;
  readonly family: "morris" | "smess";
  /** Whether the corners of a morris board are joined. */
  readonly diagonals: boolean;
  readonly fen: string;
  /** The side to move. */
  readonly side: Side;
  /** The legal moves. After a draw by repetition or move counter there are still some. */
  readonly moves: readonly string[];
  readonly ending: Ending | null;
  /** How often the position has occurred, this time included. */
  readonly occurrences: number;
  /** Plies since the last progress, and the number at which the game is drawn (0 for never). */
  readonly pliesWithoutProgress: readonly [number, number];
  /** Names and values as the command `d` shows them, such as `Phase`, `Move due`, `Stones in hand`, `Mills white`. */
  readonly facts: ReadonlyArray<readonly [string, string]>;
}

/** A move taken apart. */
export interface MoveParts {
  /** Where the stone or piece comes from; nothing when it is placed. */
  readonly from?: string;
  readonly to: string;
  /** The stone that is taken along with closing a mill. */
  readonly remove?: string;
}

/** A score from the side to move: hundredths of a stone, or moves to a win (negative: to a loss). */
export type Score = { readonly cp: number } | { readonly mate: number };

/** What a search reports: an `info` line with a variation. */
export interface Line {
  readonly depth: number;
  readonly seldepth: number;
  /** Number of the variation, from 1. */
  readonly multipv: number;
  readonly score: Score;
  /** Whether the score is only a bound. */
  readonly bound?: "lower" | "upper";
  /** Chances of a win, a draw and a loss in thousandths, where the option `UCI_ShowWDL` is on. */
  readonly wdl?: readonly [number, number, number];
  readonly nodes: number;
  /** Nodes per second. */
  readonly nps: number;
  /** Thousandths of the transposition table in use. */
  readonly hashfull: number;
  /** Positions looked up in tablebases. */
  readonly tbhits: number;
  /** Milliseconds. */
  readonly time: number;
  readonly pv: readonly string[];
}

/** When a search ends. Without a limit it runs until it is stopped. */
export interface Limits {
  readonly depth?: number;
  readonly nodes?: number;
  /** Moves. */
  readonly mate?: number;
  /** Milliseconds. */
  readonly movetime?: number;
  /** Clocks in milliseconds. */
  readonly wtime?: number;
  readonly btime?: number;
  readonly winc?: number;
  readonly binc?: number;
  readonly movestogo?: number;
  readonly searchmoves?: readonly string[];
}

/** The answer to a search. */
export interface BestMove {
  /** Nothing when the side to move has no legal move. */
  readonly move: string | null;
  /** The expected reply. */
  readonly ponder?: string;
  /** The last line of each variation, best first. */
  readonly lines: readonly Line[];
  /** What else the engine said, without `info string`. */
  readonly notes: readonly string[];
}

/** An option, as the engine advertises it. */
export interface Option {
  readonly name: string;
  readonly type: "check" | "spin" | "combo" | "button" | "string";
  readonly default?: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
}

/** The way to an engine and back, line by line. */
export interface Transport {
  /** Sends a line. */
  send(line: string): void;
  /** Called with each line of the engine. */
  onLine: (line: string) => void;
  /** Called once, when the engine is gone, with the reason. */
  onClose: (reason: Error) => void;
  /** Ends the connection; the engine stops. */
  close(): void;
  /** Asks the other side for a sign of life, which it gives also in the middle of a search; without it, it is never asked. */
  ping?(answered: () => void): void;
}

/** The engine's own words about a command it has refused. */
export class EngineError extends Error {
  override name = "EngineError";
}

/** The engine is not there: its worker has died or does not answer, its connection has broken, or it has been closed. */
export class EngineGone extends Error {
  override name = "EngineGone";
}

/** A variant, the name of a rule set, such as `morris`; `Rules.variants()` lists them. */
export type Variant = string;
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

/** What values a rule option can have. */
export type Choice =
  | { readonly kind: "switch" }
  | { readonly kind: "number"; readonly least: number; readonly most: number }
  | { readonly kind: "word"; readonly words: readonly string[] };

/** A rule option of a variant. */
export interface RuleOption {
  readonly name: string;
  readonly choice: Choice;
  /** The variant's own value. */
  readonly value: string | number | boolean;
}

/** A variant, with its rules as options. */
export interface VariantInfo {
  readonly name: Variant;
  /** The id of its family, such as `morris`. */
  readonly family: string;
  readonly options: readonly RuleOption[];
  readonly layout: Layout;
  /** The FEN of the position that its games begin at. */
  readonly start: string;
}

/** A point or a square of a board. */
export interface Point {
  readonly name: string;
  /** Columns from the left and rows from the top, from 0. */
  readonly x: number;
  readonly y: number;
}

/** A kind of pieces. */
export interface Kind {
  readonly id: string;
  /** The letters of White's and Black's pieces in a FEN. */
  readonly letters: readonly [string, string];
}

/** A board: all that one needs to draw it. */
export interface Layout {
  /** The points, row by row from the top, as a FEN has them. */
  readonly points: readonly Point[];
  /** How many of them each row of a FEN has. */
  readonly rows: readonly number[];
  /** Whether they are squares side by side; otherwise points, joined by lines. */
  readonly squares: boolean;
  /** The lines of the board, by the names of their points. */
  readonly lines: ReadonlyArray<readonly string[]>;
  /** The arrows of each point, in the order of `points`, as steps to the right and down; empty for a board without. */
  readonly arrows: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;
  /** The names of points that the board marks, such as those where a piece is promoted. */
  readonly marked: readonly string[];
  /** The kinds of pieces, the most numerous last. */
  readonly kinds: readonly Kind[];
  /** The most pieces that a side has in hand; 0 for a game without a hand. */
  readonly hand: number;
  /** Each symmetry of the board, as the places in `points` that the points are sent to; the first is the identity. */
  readonly symmetries: ReadonlyArray<readonly number[]>;
}

/** A piece on the board. */
export interface Piece {
  /** The name of its point. */
  readonly point: string;
  readonly side: Side;
  /** The id of its kind. */
  readonly kind: string;
}

/** What an editor shows: a position that may break the rules. */
export interface Setup {
  readonly pieces: readonly Piece[];
  /** The side to move. */
  readonly side: Side;
  /** The pieces in hand; none without it. */
  readonly hands?: Readonly<Record<Side, number>>;
}

/** How a game has ended. */
export interface Ending {
  readonly winner: Side | null;
  /** The id of the reason, such as `few-stones`. */
  readonly id: string;
  /** The engine's words, such as `fewer than three stones` or `threefold repetition`. */
  readonly reason: string;
}

/** What is on the board. */
export interface State {
  readonly variant: Variant;
  /** The id of the variant's family. */
  readonly family: string;
  readonly fen: string;
  /** The side to move. */
  readonly side: Side;
  /** What stands on the board, in the order of the points. */
  readonly pieces: readonly Piece[];
  /** The pieces in hand. */
  readonly hands: Readonly<Record<Side, number>>;
  /** The kinds of each side's pieces that are out of the game. */
  readonly lost: Readonly<Record<Side, readonly string[]>>;
  /** The id of the phase that the side to move is in, such as `placing`. */
  readonly phase: string;
  /** The number of the move, from 1. */
  readonly moveNumber: number;
  /** The legal moves. After a draw by repetition or move counter there are still some. */
  readonly moves: readonly MoveParts[];
  readonly ending: Ending | null;
  /** How often the position has occurred, this time included. */
  readonly occurrences: number;
  /** Plies since the last progress, and the number at which the game is drawn (0 for never). */
  readonly pliesWithoutProgress: readonly [number, number];
  /** Names and values as the command `d` shows them, such as `Phase`, `Move due`, `Stones in hand`, `Mills white`. */
  readonly facts: ReadonlyArray<readonly [string, string]>;
}

/** A move taken apart; points are told by their names. */
export interface MoveParts {
  /** The move as the engine writes it. */
  readonly text: string;
  /** Where the piece comes from; nothing when it is placed. */
  readonly from?: string;
  readonly to: string;
  /** The points of the pieces that the move names as taken; a capture by moving onto a piece names none. */
  readonly taken: readonly string[];
}

/** A score from the side to move: hundredths of a stone, or moves to a win (negative: to a loss). */
export type Score = { readonly cp: number } | { readonly mate: number };

/** What is wrong with a move, where that is a fact and no opinion; `plies` from the position that it is about. */
export type Fact =
  | { readonly kind: "winsAtOnce" | "missedTake"; readonly better: string }
  | { readonly kind: "allowsTake"; readonly reply: string; readonly better: string }
  | { readonly kind: "gaveUpWin" | "gaveUpDraw"; readonly plies: number | null }
  | { readonly kind: "missedWin"; readonly better: string; readonly plies: number }
  | { readonly kind: "allowsWin"; readonly plies: number };

/**
 * A form that games are written in: records of matches, the portable game notation, SGF, the move lists of Sanmill, or the
 * Mill Interchange Format.
 */
export type GameFormat = "record" | "pgn" | "sgf" | "sanmill" | "mif";

/** A form that games are read in: those that are written, and those of other programs. */
export type ReadFormat = GameFormat | "playok" | "goldtoken" | "coordinates" | "kaggle";

/** A move of a game, and what it follows. */
export interface GameNode {
  /** 0 is the first position, and `n` the node at `n - 1`, which stands before this one. */
  readonly parent: number;
  readonly move: string;
  /** What the engine that played it reported, from the side that moved; the depth is in plies. */
  readonly said?: { readonly score: Score; readonly depth: number };
  /** Milliseconds taken; none for a move of an opening. */
  readonly time?: number;
  /** Milliseconds left on the clock of the side that has moved. */
  readonly clock?: number;
  /** Marks by their numbers in the portable game notation: 1 is `!`, 2 `?`. */
  readonly marks?: readonly number[];
  /** Free text before the move. */
  readonly before?: string;
  /** Free text after the move. */
  readonly comment?: string;
}

/** How a game has ended. */
export interface GameEnd {
  /** `none` for a game that was ended without a result. */
  readonly outcome: Side | "draw" | "none";
  /** The engine's words, those of the match runner, or `white resigns`. */
  readonly reason: string;
  /** `normal` for an end by the rules. */
  readonly termination:
    | "normal"
    | "resignation"
    | "agreement"
    | "adjudication"
    | "time forfeit"
    | "illegal move"
    | "crash"
    | "stall"
    | "abandoned"
    | "unterminated"
    | "unknown";
}

/** A game with its variations. */
export interface GameText extends Ruleset {
  readonly white: string;
  readonly black: string;
  /** Time control of White and of Black. */
  readonly times?: readonly [white: string, black: string];
  /** The first position, where it is not the start of the game. */
  readonly fen?: string;
  /** Names and values of other facts, such as the date, in order. */
  readonly tags?: readonly (readonly [name: string, value: string])[];
  /** Free text about the game. */
  readonly comment?: string;
  /** The moves. Of those that follow the same node the first is the main line. */
  readonly nodes: readonly GameNode[];
  /** Nothing while the game is not over. */
  readonly end?: GameEnd;
}

/** The text of one game among many. */
export interface GamePiece {
  readonly text: string;
  readonly form: ReadFormat;
  /** Its first line in the whole text, from 1. */
  readonly line: number;
  /** How far the whole text has been looked at, in characters. */
  readonly end: number;
}

/** A game of a text that cannot be read. */
export interface BadGame {
  /** Its number among the games of the text, from 1. */
  readonly number: number;
  /** Its first line, from 1. */
  readonly line: number;
  readonly message: string;
}

/** The games of a text, and the form of the first. */
export interface GamesText {
  readonly format: ReadFormat;
  readonly games: readonly GameText[];
  /** What was tolerated, a line each. */
  readonly notes?: readonly string[];
  /** Games that cannot be read, if others can. */
  readonly faults?: readonly BadGame[];
}

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

/** A file of the package on its way to this browser. */
export interface Download {
  /** Its name, such as `morris.net` or `packs/morris.pack`. */
  readonly file: string;
  /** Bytes that have come, those before a connection was cut and those of earlier visits among them. */
  readonly received: number;
  /** Bytes of the whole file, if that is known. */
  readonly total: number | undefined;
  /** Whether no more will come: the file is there, or cannot be had. */
  readonly isOver: boolean;
}

/** Called as a file comes, with each hundredth part or so, and once more at the end. */
export type OnDownload = (download: Download) => void;

/** The way to an engine and back, line by line. */
export interface Transport {
  /** Sends a line. */
  send(line: string): void;
  /** Called with each line of the engine. */
  onLine: (line: string) => void;
  /** Called once, when the engine is gone, with the reason. */
  onClose: (reason: Error) => void;
  /** Called as files come that the engine asks for, where it fetches any. */
  onDownload?: OnDownload;
  /** Ends the connection; the engine stops. */
  close(): void;
  /** Asks the other side for a sign of life, which it gives also in the middle of a search; without it, it is never asked. */
  ping?(answered: () => void): void;
}

/** The engine's own words about a command it has refused. */
export class EngineError extends Error {
  override name = "EngineError";
}

/** A file of the package that is not where it was looked for, or not what it should be. */
export class AssetError extends Error {
  override name = "AssetError";
  /** The file's own name, such as `morris.net`. */
  readonly file: string;

  constructor(
    /** Where it was looked for. */
    readonly url: string,
    /** Whether there is something there, only not this file. */
    readonly isDamaged: boolean,
    detail: string,
    options?: ErrorOptions,
  ) {
    const file = url.replace(/^.*\//, "");
    super(isDamaged ? `${file} at ${url} is damaged (${detail})` : `${file} is not at ${url} (${detail})`, options);
    this.file = file;
  }
}

/** The words of any error. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a text is not a game, or a game cannot be written. */
export class NotationError extends Error {
  override name = "NotationError";

  constructor(
    message: string,
    /** What it is, for texts in other languages; empty where the message is in the words of the protocol. */
    readonly id = "",
    /** What belongs into such a text. */
    readonly values: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The engine is not there: its worker has died or does not answer, its connection has broken, or it has been closed. */
export class EngineGone extends Error {
  override name = "EngineGone";
}

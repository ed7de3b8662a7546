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

/** A position with its history: the draw rules depend on the moves. */
export interface Position {
  /** A FEN; without one, the start of the game. */
  readonly fen?: string | undefined;
  readonly moves?: readonly string[];
}

/** The possible values of a rule option. */
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
  /** Other names by which it can be chosen, such as `twelve` for `morabaraba`. */
  readonly aliases: readonly string[];
  /** ID of its family, such as `morris`. */
  readonly family: string;
  readonly options: readonly RuleOption[];
  readonly layout: Layout;
  /** FEN of the start position. */
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

/** A board, with everything needed to draw it. */
export interface Layout {
  /** The points, row by row from the top, as in a FEN. */
  readonly points: readonly Point[];
  /** Number of points in each row of a FEN. */
  readonly rows: readonly number[];
  /** Whether they are adjacent squares; otherwise points joined by steps. */
  readonly squares: boolean;
  /** The lines that count when one side fills them, such as those of mills, by the names of their points. */
  readonly lines: ReadonlyArray<readonly string[]>;
  /** The neighbouring points that the board joins, by name; empty for squares. */
  readonly steps: ReadonlyArray<readonly [string, string]>;
  /** The arrows of each point, in the order of `points`, as steps to the right and down; empty for a board without. */
  readonly arrows: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;
  /** The names of points that the board marks, such as those where a piece is promoted. */
  readonly marked: readonly string[];
  /** The kinds of pieces, the most numerous last. */
  readonly kinds: readonly Kind[];
  /** Maximum pieces that a side has in hand; 0 for a game without a hand. */
  readonly hand: number;
  /** Each symmetry of the board, as the images of the points by their index in `points`; the first is the identity. */
  readonly symmetries: ReadonlyArray<readonly number[]>;
}

/** A piece on the board. */
export interface Piece {
  /** Name of its point. */
  readonly point: string;
  readonly side: Side;
  /** ID of its kind. */
  readonly kind: string;
}

/** The contents of an editor: a position that may break the rules. */
export interface Setup {
  readonly pieces: readonly Piece[];
  /** The side to move. */
  readonly side: Side;
  /** The pieces in hand; none by default. */
  readonly hands?: Readonly<Record<Side, number>>;
}

/** The end of a game. */
export interface Ending {
  readonly winner: Side | null;
  /** ID of the reason, such as `few-stones`: the name of its text is `ending.few-stones`. */
  readonly id: string;
  /** The reason in English, such as `fewer than three stones` or `threefold repetition`. */
  readonly reason: string;
}

/** The state of the board. */
export interface State {
  readonly variant: Variant;
  /** ID of the variant's family. */
  readonly family: string;
  readonly fen: string;
  /** The side to move. */
  readonly side: Side;
  /** The pieces on the board, in the order of the points. */
  readonly pieces: readonly Piece[];
  /** The pieces in hand. */
  readonly hands: Readonly<Record<Side, number>>;
  /** The kinds of each side's captured pieces. */
  readonly lost: Readonly<Record<Side, readonly string[]>>;
  /** ID of the phase of the side to move, such as `placing`. */
  readonly phase: string;
  /** Move number, from 1. */
  readonly moveNumber: number;
  /** The legal moves; not empty after a draw by repetition or move counter. */
  readonly moves: readonly MoveParts[];
  readonly ending: Ending | null;
  /** Number of occurrences of the position, including this one. */
  readonly occurrences: number;
  /** Plies since the last progress, and the number at which the game is drawn (0 for never). */
  readonly pliesWithoutProgress: readonly [number, number];
  /** Names and values as the command `d` prints them, such as `Phase`, `Move due`, `Stones in hand`, `Mills white`. */
  readonly facts: ReadonlyArray<readonly [string, string]>;
}

/** The parts of a move; points by name. */
export interface MoveParts {
  /** The move as the engine writes it. */
  readonly text: string;
  /** Origin of the piece; absent for a placement. */
  readonly from?: string;
  readonly to: string;
  /** The points of the pieces that the move names as taken; a capture by moving onto a piece names none. */
  readonly taken: readonly string[];
}

/** A score from the side to move: hundredths of a stone, or moves to a win (negative: to a loss). */
export type Score = { readonly cp: number } | { readonly mate: number };

/** The kinds of facts about a move; docs/analysis.md describes them. */
export type FactKind =
  | "winsAtOnce"
  | "allowsWinAtOnce"
  | "allowsLock"
  | "allowsBrain"
  | "gaveUpWin"
  | "gaveUpDraw"
  | "missedWin"
  | "allowsWin"
  | "hastensLoss"
  | "missedMill"
  | "missedTake"
  | "missedPromotion"
  | "allowsMill"
  | "allowsTake"
  | "allowsPromotion"
  | "missedDoubleMill"
  | "allowsDoubleMill"
  | "missedFork"
  | "allowsFork"
  | "missedStone"
  | "allowsStone"
  | "missedTwoStones"
  | "allowsTwoStones"
  | "missedMaterial"
  | "allowsMaterial"
  | "opensMill"
  | "leavesMill"
  | "missedThreat"
  | "brainSquares"
  | "freePoints"
  | "freePointsOfOpponent"
  | "neighbours"
  | "moves"
  | "movesOfOpponent";

/** A fact about a move, compared with a better one. The rules or a search of all moves have proved it. */
export interface Fact {
  readonly kind: FactKind;
  /** The better move. */
  readonly better?: string;
  /** The reply of the opponent. */
  readonly reply?: string;
  /** Plies to the end, counted from the position in question. */
  readonly plies?: number;
  /** A number of moves, points or squares, after the played move if both are compared. */
  readonly count?: number;
  /** The same after the better move. */
  readonly instead?: number;
  /** The mills, each by the names of its points. */
  readonly mills?: ReadonlyArray<readonly string[]>;
  /** The point of a piece. */
  readonly point?: string;
}

/**
 * A form in which games are written: records of matches, Portable Game Notation, SGF, the move lists of Sanmill, or the
 * Mill Interchange Format.
 */
export type GameFormat = "record" | "pgn" | "sgf" | "sanmill" | "mif";

/** A form in which games are read: the written ones, and those of other programs. */
export type ReadFormat = GameFormat | "playok" | "goldtoken" | "coordinates" | "kaggle";

/** A move of a game, with its predecessor. */
export interface GameNode {
  /** 0 is the first position, and `n` the node at `n - 1`, which precedes this one. */
  readonly parent: number;
  readonly move: string;
  /** The report of the engine that played it, from the side that moved; the depth is in plies. */
  readonly said?: { readonly score: Score; readonly depth: number };
  /** Milliseconds taken; absent for a move of an opening. */
  readonly time?: number;
  /** Milliseconds left on the clock of the side that moved. */
  readonly clock?: number;
  /** Marks by their numbers in Portable Game Notation: 1 is `!`, 2 `?`. */
  readonly marks?: readonly number[];
  /** Free text before the move. */
  readonly before?: string;
  /** Free text after the move. */
  readonly comment?: string;
}

/** The end of a game. */
export interface GameEnd {
  /** `none` for a game without a result. The side that resigned or lost on time is the one that has not won. */
  readonly outcome: Side | "draw" | "none";
  /** The ID of an ending, such as `few-stones`, or a text, or empty. */
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
  /** Number of the game in its match, and the round; 1 if they are not reported. */
  readonly number?: number;
  readonly round?: number;
  /** The first position, if it is not the start of the game. */
  readonly fen?: string;
  /** Names and values of other facts, such as the date, in order. */
  readonly tags?: readonly (readonly [name: string, value: string])[];
  /** Free text about the game. */
  readonly comment?: string;
  /** The moves. The first of several nodes with the same parent is the main line. */
  readonly nodes: readonly GameNode[];
  /** Absent while the game is in progress. */
  readonly end?: GameEnd;
}

/** The text of one game among many. */
export interface GamePiece {
  readonly text: string;
  readonly form: ReadFormat;
  /** Its first line in the whole text, from 1. */
  readonly line: number;
  /** Number of characters of the whole text processed so far. */
  readonly end: number;
}

/** A game of a text that cannot be read. */
export interface BadGame extends Note {
  /** Number of the game in the text, from 1. */
  readonly number: number;
  /** Its first line, from 1. */
  readonly line: number;
}

/** The games of a text, and the form of the first. */
export interface GamesText {
  readonly format: ReadFormat;
  readonly games: readonly GameText[];
  /** Tolerated faults, one line each. */
  readonly notes?: readonly string[];
  /** Unreadable games, if others are readable. */
  readonly faults?: readonly BadGame[];
}

/** The report of a search: an `info` line with a variation. */
export interface Line {
  readonly depth: number;
  readonly seldepth: number;
  /** Number of the variation, from 1. */
  readonly multipv: number;
  readonly score: Score;
  /** Whether the score is only a bound. */
  readonly bound?: "lower" | "upper";
  /** Chances of a win, a draw and a loss in thousandths, if the option `UCI_ShowWDL` is on. */
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

/** Limits of a search. Without a limit it runs until it is stopped. */
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
  /** `null` if the side to move has no legal move. */
  readonly move: string | null;
  /** The expected reply. */
  readonly ponder?: string;
  /** The last line of each variation, best first. */
  readonly lines: readonly Line[];
  /** Other messages of the engine, without `info string`. */
  readonly notes: readonly string[];
}

/** A value by tables, for the side to move or the side that makes the move. */
export interface TableValue {
  readonly value: "win" | "draw" | "loss" | "unknown";
  /** Plies to the end of a win or loss, if the tables have distances. */
  readonly plies?: number;
  /** The value by the draw rules, with the counter of the position; missing if the value is unknown. */
  readonly category?: "win" | "maybe-win" | "cursed-win" | "draw" | "blessed-loss" | "maybe-loss" | "loss";
  /** What a carry pack knows of an unknown value. */
  readonly bound?: "draw or loss" | "win or draw";
}

/** A move with its value for the side that makes it. */
export interface ProbedMove extends TableValue {
  readonly move: string;
}

/** A position with the values of its moves, the best first. */
export interface ProbedPosition extends TableValue {
  readonly fen: string;
  readonly moves: readonly ProbedMove[];
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

/** A download of a file of the package to this browser. */
export interface Download {
  /** Name of the file, such as `morris.net` or `packs/morris.pack`. */
  readonly file: string;
  /** Bytes received, including those before a cut connection and from earlier visits. */
  readonly received: number;
  /** Bytes of the whole file, if known. */
  readonly total: number | undefined;
  /** Whether the download has ended: the file is complete or unavailable. */
  readonly isOver: boolean;
}

/** Called during a download, about once per hundredth, and once more at the end. */
export type OnDownload = (download: Download) => void;

/** A reading of parts of a compact table on a host. */
export interface TableReading {
  readonly address: string;
  /** HTTP requests of this reading, and the bytes that they brought; other parts were stored. */
  readonly requests: number;
  readonly received: number;
}

/** Called after each reading of parts of a compact table. */
export type OnReading = (reading: TableReading) => void;

/** A line-based connection to an engine. */
export interface Transport {
  /** Sends a line. */
  send(line: string): void;
  /** Called with each line of the engine. */
  onLine: (line: string) => void;
  /** Called once, when the engine is gone, with the reason. */
  onClose: (reason: Error) => void;
  /** Called with messages about files that cannot be loaded; without it, they are lines `info string`. */
  onNote?: (note: Note) => void;
  /** Called during downloads for the engine, if there are any. */
  onDownload?: OnDownload;
  /** Called when parts of compact tables were read, if there are any. */
  onReading?: OnReading;
  /** Ends the connection; the engine stops. */
  close(): void;
  /** Sends a ping, which the other side answers even during a search; optional. */
  ping?(answered: () => void): void;
}

/** A text by its name, with its values: a message of the engine, for texts in other languages. */
export interface Message {
  /** The name of the text, such as `fault.illegal`; empty for a message without a text. */
  readonly id: string;
  readonly values: MessageValues;
}

/** The values of a message by their names; a text shows each as `{name}`. */
export type MessageValues = Readonly<Record<string, number | string | Message | readonly Message[]>>;

/** A message in English and as data. */
export interface Note extends Message {
  readonly message: string;
}

/** The base of all errors of this package: the message in English, and as data. */
abstract class MessageError extends Error implements Message {
  constructor(
    message: string,
    readonly id = "",
    readonly values: MessageValues = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The error for invalid rules, positions, moves and other arguments. */
export class EngineError extends MessageError {
  override name = "EngineError";
}

/** A file of the package that is missing or invalid. */
export class AssetError extends MessageError {
  override name = "AssetError";
  /** Name of the file, such as `morris.net`. */
  readonly file: string;

  constructor(
    /** Its address. */
    readonly url: string,
    /** Whether there is a file, but not this one. */
    readonly isDamaged: boolean,
    detail: string,
    options?: ErrorOptions,
  ) {
    const file = url.replace(/^.*\//, "");
    const words = isDamaged ? `${file} at ${url} is damaged (${detail})` : `${file} is not at ${url} (${detail})`;
    super(words, isDamaged ? "engine.damaged" : "engine.file", { file, url, detail }, options);
    this.file = file;
  }
}

/** Returns the message of any error. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The message of an error; it has data only if it is known. */
export const noteOf = (error: unknown): Note => {
  const isNote =
    typeof error === "object" && error !== null && "message" in error && "id" in error && "values" in error;
  if (!isNote) return { message: wordsOf(error), id: "", values: {} };
  const { message, id, values } = error as Note;
  return { message, id, values };
};

/** The error for a text that is not a game, or a game that cannot be written. */
export class NotationError extends MessageError {
  override name = "NotationError";
}

/** The engine is gone: its worker died or does not answer, its connection broke, or it was closed. */
export class EngineGone extends MessageError {
  override name = "EngineGone";
}

/** The two players; White moves first. */
export type Side = "white" | "black";

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
}

/** A board as data, as `Rules.layout` of the package `millbrain` returns it; additional fields are ignored. */
export interface Layout {
  /** The points, row by row from the top. */
  readonly points: readonly Point[];
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
}

/** A piece on the board. */
export interface Placed {
  /** Name of its point. */
  readonly point: string;
  readonly side: Side;
  /** ID of its kind: `stone`, `brain`, `numskull` and `ninny` have pictures, others show their first letter. */
  readonly kind: string;
}

/** The parts of a move; points by name. */
export interface MoveParts {
  /** Text of the move. */
  readonly text: string;
  /** Origin of the piece; absent for a placement. */
  readonly from?: string;
  readonly to: string;
  /** The points of the pieces that the move names as taken. */
  readonly taken: readonly string[];
}

/** A move shown as an arrow; a placement as a ring. */
export interface Arrow {
  readonly move: MoveParts;
  readonly tone: "hint" | "line" | "better" | "threat";
  /** 1 for the best move; higher ranks are fainter. */
  readonly rank: number;
}

/** A value on a point. */
export interface Badge {
  /** The visible text: a few characters. */
  readonly text: string;
  readonly tone: "won" | "lost" | "drawn";
  /** The text for screen readers. */
  readonly label: string;
}

/** Descriptions of points for screen readers. */
export interface Words {
  /** An empty point. */
  empty(point: string): string;
  /** A man on a point; without a kind if there is only one. */
  piece(point: string, side: Side, kind: string | undefined): string;
  /** Part of a full line. */
  readonly inMill: string;
  /** Chosen to move, or target of the chosen move. */
  readonly chosen: string;
  /** Can be removed now. */
  readonly remove: string;
  /** Possible target now. */
  readonly target: string;
  /** Can move now. */
  readonly source: string;
  /** Target of the last move. */
  readonly last: string;
}

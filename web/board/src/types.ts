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

/** A board as data, as `Rules.layout` of the package `millbrain` gives it; further fields do no harm. */
export interface Layout {
  /** The points, row by row from the top. */
  readonly points: readonly Point[];
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
}

/** A piece on the board. */
export interface Placed {
  /** The name of its point. */
  readonly point: string;
  readonly side: Side;
  /** The id of its kind: `stone`, `brain`, `numskull` and `ninny` have pictures, others show their first letter. */
  readonly kind: string;
}

/** A move taken apart; points are told by their names. */
export interface MoveParts {
  /** The move as it is written. */
  readonly text: string;
  /** Where the piece comes from; nothing when it is placed. */
  readonly from?: string;
  readonly to: string;
  /** The points of the pieces that the move names as taken. */
  readonly taken: readonly string[];
}

/** A move shown as an arrow; one that places something as a ring. */
export interface Arrow {
  readonly move: MoveParts;
  readonly tone: "hint" | "line" | "better" | "threat";
  /** 1 for the best one; others are fainter. */
  readonly rank: number;
}

/** A value on a point. */
export interface Badge {
  /** What is seen: a few characters. */
  readonly text: string;
  readonly tone: "won" | "lost" | "drawn";
  /** What is said. */
  readonly label: string;
}

/** What is said of points to those who do not see them. */
export interface Words {
  /** An empty point. */
  empty(point: string): string;
  /** What stands on a point; without a kind where there is only one. */
  piece(point: string, side: Side, kind: string | undefined): string;
  /** Part of a full line. */
  readonly inMill: string;
  /** Chosen to move, or where the chosen move goes. */
  readonly chosen: string;
  /** Can be taken now. */
  readonly remove: string;
  /** Can be gone to now. */
  readonly target: string;
  /** Can move now. */
  readonly source: string;
  /** Where the last move went. */
  readonly last: string;
}

/** A point or square, in units of the distance between neighbouring files. */
export interface Point {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

const FILES = "abcdefg";

const ROWS = ["adg", "bdf", "cde", "abcefg", "cde", "bdf", "adg"];

/** The points of the morris boards in reading order, as in a FEN. */
export const MORRIS_POINTS: readonly Point[] = ROWS.flatMap((row, y) =>
  [...row].map((file) => ({ name: `${file}${7 - y}`, x: FILES.indexOf(file), y })),
);

const rank = (names: string) => names.split(" ");
const STRAIGHT = [
  "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1",
  "a7 a4 a1", "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3", "f6 f4 f2", "g7 g4 g1",
].map(rank); // prettier-ignore
const DIAGONAL = ["a7 b6 c5", "g7 f6 e5", "a1 b2 c3", "g1 f2 e3"].map(rank);

/** The lines on which mills are made. */
export function morrisLines(diagonals: boolean): readonly (readonly string[])[] {
  return diagonals ? [...STRAIGHT, ...DIAGONAL] : STRAIGHT;
}

/** The lines that a side's stones fill. */
export function mills(has: (point: string) => boolean, diagonals: boolean): readonly (readonly string[])[] {
  return morrisLines(diagonals).filter((line) => line.every(has));
}

/** The squares of Smess from rank 8 to rank 1, as in a FEN. */
export const SMESS_SQUARES: readonly Point[] = Array.from({ length: 56 }, (_, i) => ({
  name: `${FILES[i % 7]}${8 - Math.floor(i / 7)}`,
  x: i % 7,
  y: Math.floor(i / 7),
}));

/** The arrows of the squares in the same order. */
const ARROWS = `
E,S E,S,W E,S,W E,S,W E,S,W E,S,W S
N,S E,S,NW N,E,S,W E,S,W N,E,S,W S,W N,S
N,E,S N,E,S,W NE,SE,SW,NW E,W NE,SE,SW,NW N,E,W N,S,W
NE,E,SE E N,E,S N,NE,E,SE,S,SW,W,NW N,E,S N,E,S,W N,S
N,S N,E,S,W N,S,W N,NE,E,SE,S,SW,W,NW N,S,W W SW,W,NW
N,E,S E,S,W NE,SE,SW,NW E,W NE,SE,SW,NW N,E,S,W N,S,W
N,S N,E N,E,S,W N,E,W N,E,S,W N,SE,W N,S
N N,E,W N,E,W N,E,W N,E,W N,E,W N,W`
  .trim()
  .split(/\s+/)
  .map((text) => text.split(","));

const STEPS: Record<string, readonly [number, number]> = {
  N: [0, -1], NE: [1, -1], E: [1, 0], SE: [1, 1], S: [0, 1], SW: [-1, 1], W: [-1, 0], NW: [-1, -1],
}; // prettier-ignore

/** The arrows of a square as steps; `y` grows downwards. */
export function arrows(index: number): readonly (readonly [number, number])[] {
  return (ARROWS[index] ?? []).map((name) => STEPS[name] ?? [0, 0]);
}

export type Direction = "left" | "right" | "up" | "down";

/** The next point in a direction: straight ahead first, otherwise the nearest of those that lie mostly that way. */
export function neighbour(points: readonly Point[], from: Point, direction: Direction): Point | undefined {
  const isSideways = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  let best: Point | undefined;
  let least = Infinity;
  for (const point of points) {
    const ahead = sign * (isSideways ? point.x - from.x : point.y - from.y);
    const aside = Math.abs(isSideways ? point.y - from.y : point.x - from.x);
    if (ahead <= 0) continue;
    // Off the straight way counts three times, so that the arrows follow the lines of the board.
    const cost = ahead + 3 * aside;
    if (cost < least) [best, least] = [point, cost];
  }
  return best;
}

import type { Placement } from "../pieces.js";
import type { Layout, Point } from "../types.js";

interface Spot {
  readonly x: number;
  readonly y: number;
}
interface Box extends Spot {
  readonly width: number;
  readonly height: number;
}

/** The geometry of a board. The distance between neighbouring files is 100, on small boards of points more. */
export interface Plan {
  readonly squares: boolean;
  /** The whole picture including the frame, and the wood within it. */
  readonly box: Box;
  readonly wood: Box;
  readonly middle: Spot;
  /** Positions of the points, in the order of the layout. */
  readonly spots: ReadonlyMap<string, Spot>;
  /** The steps between points as one path. */
  readonly steps: string;
  readonly cells: readonly Cell[];
  readonly labels: readonly (Spot & { readonly text: string })[];
}

interface Cell extends Spot {
  readonly name: string;
  readonly isDark: boolean;
  readonly isMarked: boolean;
  /** Each by its position in the cell, and its rotation in degrees. */
  readonly arrows: readonly (Spot & { readonly turn: number })[];
}

const FRAME = 85;

/** Returns the indices of the last column and row. */
function extent({ points }: Layout): Spot {
  return { x: Math.max(0, ...points.map(({ x }) => x)), y: Math.max(0, ...points.map(({ y }) => y)) };
}

/** Returns the geometry of a board: White's side below, or flipped. */
export function plan(layout: Layout, flipped: boolean): Plan {
  const { points, squares, steps } = layout;
  const end = extent(layout);
  // The men of a small board would be huge.
  const unit = squares ? 100 : Math.min(150, Math.max(100, 500 / Math.max(end.x, end.y)));
  const [width, height] = [end.x * unit, end.y * unit];
  const spot = ({ x, y }: Point): Spot =>
    flipped ? { x: width - x * unit, y: height - y * unit } : { x: x * unit, y: y * unit };
  const around = (edge: number): Box => ({
    x: -edge,
    y: -edge,
    width: width + 2 * edge,
    height: height + 2 * edge,
  });
  const spots = new Map(points.map((point) => [point.name, spot(point)]));
  return {
    squares,
    box: around(FRAME),
    wood: around(squares ? 54 : 60),
    middle: { x: width / 2, y: height / 2 },
    spots,
    steps: path(steps, spots),
    cells: squares ? points.map((point, i) => cell(layout, point, i, spot(point), flipped)) : [],
    labels: labels(layout, spot, height),
  };
}

/** Returns the steps between spots as a path. */
function path(steps: Layout["steps"], spots: ReadonlyMap<string, Spot>): string {
  const at = (name: string) => {
    const { x, y } = spots.get(name) ?? { x: 0, y: 0 };
    return `${x} ${y}`;
  };
  return steps.map(([a, b]) => `M${at(a)}L${at(b)}`).join("");
}

function cell({ arrows, marked }: Layout, { name }: Point, i: number, spot: Spot, flipped: boolean): Cell {
  const arrow = ([right, down]: readonly [number, number]) => {
    const [dx, dy] = flipped ? [-right, -down] : [right, down];
    // In the corners they would touch the edge.
    const far = dx !== 0 && dy !== 0 ? 39 : 41;
    return { x: dx * far, y: dy * far, turn: (Math.atan2(dy, dx) * 180) / Math.PI };
  };
  return {
    ...spot,
    name,
    isDark: (spot.x + spot.y) % 200 === 100,
    isMarked: marked.includes(name),
    arrows: (arrows[i] ?? []).map(arrow),
  };
}

/** Returns letters below and numbers on the left, if the names of the points consist of both. */
function labels({ points, squares }: Layout, spot: (point: Point) => Spot, height: number): Plan["labels"] {
  const column = new Map<number, Point>();
  const row = new Map<number, Point>();
  const file = ({ name }: Point) => name.slice(0, 1);
  const rank = ({ name }: Point) => name.slice(1);
  for (const point of points) {
    const [a, b] = [column.get(point.x) ?? point, row.get(point.y) ?? point];
    if (rank(point) === "" || file(a) !== file(point) || rank(b) !== rank(point)) return [];
    column.set(point.x, a);
    row.set(point.y, b);
  }
  return [
    ...[...column.values()].map((point) => ({
      text: file(point),
      x: spot(point).x,
      y: height + (squares ? 75 : 77),
    })),
    ...[...row.values()].map((point) => ({
      text: rank(point),
      x: squares ? -69.5 : -73,
      y: spot(point).y + 6,
    })),
  ];
}

/** Returns the lines filled with one side's men. */
export function fullLines({ lines }: Layout, men: Placement): readonly (readonly string[])[] {
  return lines.filter(([first = "", ...others]) => {
    const side = men.get(first)?.side;
    return side !== undefined && others.every((point) => men.get(point)?.side === side);
  });
}

/** Returns a miniature of a board: a path in a square of 36. */
export function emblem(layout: Layout): string {
  const { points, squares, steps } = layout;
  const end = extent(layout);
  const [width, height] = squares ? [end.x + 1, end.y + 1] : [end.x, end.y];
  const unit = 30 / Math.max(1, width, height);
  const [left, top] = [18 - (width * unit) / 2, 18 - (height * unit) / 2];
  if (!squares) {
    const spots = points.map(({ name, x, y }) => [name, { x: left + x * unit, y: top + y * unit }] as const);
    return path(steps, new Map(spots));
  }
  // Many squares would be too small; half of them are sufficient.
  const cuts = (count: number) => {
    const shown = count > 5 ? Math.floor(count / 2) : count;
    return Array.from({ length: shown + 1 }, (_, i) => (i * count * unit) / shown);
  };
  return [
    ...cuts(width).map((x) => `M${left + x} ${top}v${height * unit}`),
    ...cuts(height).map((y) => `M${left} ${top + y}h${width * unit}`),
  ].join("");
}

import type { Layout, MoveParts, Piece, Ruleset, Side, State } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";

/** The pictures of the rules of a board with lines. */
export type DiagramId = "mill" | "allInMills" | "moving" | "flying";

/** A picture: a position in which White moves and Black never answers. */
export interface Diagram {
  readonly id: DiagramId;
  readonly fen: string;
  readonly state: State;
}

type Points = readonly string[];

const disjoint = (a: Points, b: Points) => a.every((point) => !b.includes(point));

/** Returns the points that the board joins with a point. */
export const neighbours = ({ steps }: Layout, point: string): string[] =>
  steps.filter((pair) => pair.includes(point)).map(([a, b]) => (a === point ? b : a));

/** Returns the first points, as many as asked for, that complete no line of these and are not next to one another. */
function scattered(layout: Layout, count: number, own: Points, taken: Points): string[] {
  const found: string[] = [];
  for (const { name } of [...layout.points].reverse()) {
    if (found.length === count) break;
    const all = [...own, ...found, name];
    const isFree = ![...own, ...taken, ...found].includes(name);
    const isFull = layout.lines.some(
      (line) => line.includes(name) && line.every((point) => all.includes(point)),
    );
    if (isFree && !isFull && disjoint(found, neighbours(layout, name))) found.push(name);
  }
  return found;
}

const stones = (layout: Layout, side: Side, points: Points): Piece[] =>
  points.map((point) => ({ point, side, kind: layout.kinds.at(-1)?.id ?? "" }));

/** Returns a position with White to move, if the rules allow it. */
function positionOf(
  ruleset: Ruleset,
  [white, black]: readonly [Points, Points],
  hands: Record<Side, number>,
): Omit<Diagram, "id"> | undefined {
  const layout = engineRules().layout(ruleset);
  const pieces = [...stones(layout, "white", white), ...stones(layout, "black", black)];
  try {
    const fen = engineRules().fen(ruleset, { pieces, side: "white", hands });
    const state = engineRules().state(ruleset, { fen });
    return state.ending ? undefined : { fen, state };
  } catch {
    return undefined;
  }
}

/** Returns the first of these positions that shows something. */
function first(
  id: DiagramId,
  positions: Iterable<Omit<Diagram, "id"> | undefined>,
  shows: (state: State) => boolean,
): Diagram[] {
  for (const position of positions) if (position && shows(position.state)) return [{ id, ...position }];
  return [];
}

/** Returns a move that completes a line of White's, whatever that does. */
export function closingMove({ lines }: Layout, { moves, pieces }: State): MoveParts | undefined {
  const own = pieces.filter(({ side }) => side === "white").map(({ point }) => point);
  return moves.find(({ from, to }) =>
    lines.some(
      (line) =>
        line.includes(to) && line.every((point) => point === to || (point !== from && own.includes(point))),
    ),
  );
}

/** Returns the points of the stones that some move takes. */
export const takeable = ({ moves }: State): string[] => [...new Set(moves.flatMap(({ taken }) => taken))];

/** Returns the pictures of a game, drawn from its board and rules; none for a board without lines. */
export function diagramsOf(ruleset: Ruleset): Diagram[] {
  const layout = engineRules().layout(ruleset);
  const { hands: full } = engineRules().state(ruleset);
  const { lines } = layout;
  const hasMoves = ({ moves }: State) => moves.some(({ from }) => from !== undefined);
  /** White has two stones of a line, Black a mill and these loose stones. */
  function* closing(loose: number) {
    for (const line of lines) {
      const two = line.slice(0, -1);
      for (const mill of [...lines].reverse().filter((other) => disjoint(line, other))) {
        const others = scattered(layout, loose, mill, [...line, ...mill]);
        const black = [...mill, ...others];
        const white = [...two, ...scattered(layout, black.length - two.length, two, [...line, ...black])];
        const left = (side: Side, placed: number) => Math.max(0, full[side] - placed);
        const hands = { white: Math.max(1, left("white", white.length)), black: left("black", black.length) };
        yield positionOf(ruleset, [white, black], hands);
      }
    }
  }
  /** The same with fewer stones, where the board or the set has no room for more. */
  function* placing() {
    yield* closing(2);
    yield* closing(1);
    for (const line of lines) {
      const two = line.slice(0, -1);
      const black = scattered(layout, two.length, [], line);
      const hands = { white: full.white - two.length, black: full.black - black.length };
      yield positionOf(ruleset, [two, black], hands);
    }
  }
  /** White has a mill and a stone more, or two stones of a line and one that can join them. */
  function* opening() {
    for (const line of lines) {
      const own = [...line, ...scattered(layout, 1, line, line)];
      const black = (count: number) =>
        scattered(layout, count, [], [...own, ...line.flatMap((p) => neighbours(layout, p))]);
      yield positionOf(ruleset, [own, black(5)], { white: 0, black: 0 });
      yield positionOf(ruleset, [own, black(4)], { white: 0, black: 0 });
      for (const point of neighbours(layout, line.at(-1) ?? "").filter((point) => !line.includes(point))) {
        const white = [...line.slice(0, -1), point];
        yield positionOf(ruleset, [white, scattered(layout, 3, [], [...line, ...white])], {
          white: 0,
          black: 0,
        });
      }
    }
  }
  /** White has its last three stones, two of them on a line. */
  function* last() {
    for (const line of lines) {
      const two = line.slice(0, -1);
      const away = [...line, ...line.flatMap((point) => neighbours(layout, point))];
      const white = [...two, ...scattered(layout, 1, two, away)];
      const black = scattered(
        layout,
        4,
        [],
        [...line, ...white, ...white.flatMap((p) => neighbours(layout, p))],
      );
      yield positionOf(ruleset, [white, black], { white: 0, black: 0 });
    }
  }
  return [
    ...first("mill", placing(), (state) => closingMove(layout, state) !== undefined),
    ...first("allInMills", closing(0), (state) => closingMove(layout, state) !== undefined),
    ...first("moving", opening(), hasMoves),
    ...first("flying", last(), hasMoves),
  ];
}

/** Returns whether a stone may go to a point that is not next to it. */
export const flies = (layout: Layout, { moves }: State): boolean =>
  moves.some(({ from, to }) => from !== undefined && !neighbours(layout, from).includes(to));

import type { Side } from "millbrain";
import { MORRIS_POINTS, SMESS_SQUARES } from "../board/geometry.js";

/** What stands on the boards: stones, or the pieces of Smess. */
export type Kind = "stone" | "brain" | "numskull" | "ninny";
export interface Man {
  readonly side: Side;
  readonly kind: Kind;
}
/** Men by the names of their points. */
export type Placement = ReadonlyMap<string, Man>;

const LETTERS: Record<string, Man> = {
  O: { side: "white", kind: "stone" },
  X: { side: "black", kind: "stone" },
  B: { side: "white", kind: "brain" },
  S: { side: "white", kind: "numskull" },
  N: { side: "white", kind: "ninny" },
  b: { side: "black", kind: "brain" },
  s: { side: "black", kind: "numskull" },
  n: { side: "black", kind: "ninny" },
};

export function letter(man: Man): string {
  return (
    Object.keys(LETTERS).find((key) => LETTERS[key]?.kind === man.kind && LETTERS[key].side === man.side) ??
    ""
  );
}

/** The board of a FEN that the engine has written. */
export function placement(fen: string): Placement {
  const board = fen.split(" ")[0] ?? "";
  const points = board.split("/").length === 8 ? SMESS_SQUARES : MORRIS_POINTS;
  const men = new Map<string, Man>();
  let at = 0;
  for (const c of board.replaceAll("/", "")) {
    const man = LETTERS[c];
    const point = points[at];
    if (man === undefined) at += Number(c) || 0;
    else {
      if (point !== undefined) men.set(point.name, man);
      at += 1;
    }
  }
  return men;
}

/** Stones in the hands of both sides. */
export function hands(fen: string): Record<Side, number> {
  const [, , white, black] = fen.split(" ");
  return { white: Number(white) || 0, black: Number(black) || 0 };
}

/** What a set-up editor holds. */
export interface Setup {
  readonly men: Placement;
  readonly side: Side;
  readonly hands: Record<Side, number>;
  /** Fields after the hands: counters, and lines of mills. */
  readonly tail: string;
}

export function readSetup(fen: string): Setup {
  const fields = fen.split(" ");
  const isSmess = (fields[0] ?? "").split("/").length === 8;
  return {
    men: placement(fen),
    side: fields[1] === "b" ? "black" : "white",
    hands: isSmess ? { white: 0, black: 0 } : hands(fen),
    tail: "0 1",
  };
}

export function writeSetup(setup: Setup, family: "morris" | "smess"): string {
  const rows = family === "smess" ? Array<number>(8).fill(7) : [3, 3, 3, 6, 3, 3, 3];
  const points = family === "smess" ? SMESS_SQUARES : MORRIS_POINTS;
  let at = 0;
  const board = rows.map((length) => {
    const cells = points.slice(at, at + length).map(({ name }) => {
      const man = setup.men.get(name);
      return man ? letter(man) : "1";
    });
    at += length;
    return cells.join("").replace(/1+/g, (run) => String(run.length));
  });
  const counts = family === "smess" ? "" : `${setup.hands.white} ${setup.hands.black} `;
  return `${board.join("/")} ${setup.side === "white" ? "w" : "b"} ${counts}${setup.tail}`;
}

/** Men that are not on the board any more, in an order in which they look well. */
export function captured(fen: string, stones: number): Record<Side, Man[]> {
  const men = [...placement(fen).values()];
  const inHand = hands(fen);
  const lost = (side: Side): Man[] => {
    const own = men.filter((man) => man.side === side);
    if ((fen.split(" ")[0] ?? "").split("/").length !== 8) {
      const count = Math.max(0, stones - own.length - inHand[side]);
      return Array.from({ length: count }, () => ({ side, kind: "stone" }));
    }
    const count = (kind: Kind) => own.filter((man) => man.kind === kind).length;
    const all = 12 - own.length;
    const brains = 1 - count("brain");
    // A Ninny that became a Numskull may have been taken as one; then it counts as a Ninny.
    const numskulls = Math.min(all - brains, Math.max(0, 4 - count("numskull")));
    const of = (kind: Kind, n: number) => Array.from({ length: Math.max(0, n) }, () => ({ side, kind }));
    return [...of("brain", brains), ...of("numskull", numskulls), ...of("ninny", all - brains - numskulls)];
  };
  return { white: lost("white"), black: lost("black") };
}

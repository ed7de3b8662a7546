import {
  EngineError,
  type Layout,
  type MoveParts,
  type Piece,
  type Setup,
  type Side,
  type State,
  type VariantInfo,
} from "../types.js";

/** Data of the module: points and kinds as indices, White's values before Black's. */
export type Pair<T> = readonly [white: T, black: T];
export type RawPiece = Omit<Piece, "point" | "kind"> & { readonly point: number; readonly kind: number };
export interface RawMove {
  readonly text: string;
  readonly from: number | null;
  readonly to: number;
  readonly taken: readonly number[];
}
export type RawLayout = Omit<Layout, "lines" | "steps" | "marked"> & {
  readonly lines: ReadonlyArray<readonly number[]>;
  readonly steps: ReadonlyArray<readonly [number, number]>;
  readonly marked: readonly number[];
};
export type RawState = Omit<State, "pieces" | "hands" | "lost" | "moves"> & {
  readonly pieces: readonly RawPiece[];
  readonly hands: Pair<number>;
  readonly lost: Pair<readonly number[]>;
  readonly moves: readonly RawMove[];
};
export type RawVariant = Omit<VariantInfo, "layout"> & { readonly layout: RawLayout };
export interface RawSetup {
  readonly pieces: readonly RawPiece[];
  readonly side: Side;
  readonly hands: Pair<number>;
}

const bySide = <T, U>([white, black]: Pair<T>, of: (own: T) => U): Record<Side, U> => ({
  white: of(white),
  black: of(black),
});

/** Converts a board to names. */
export function named({ lines, steps, marked, ...layout }: RawLayout): Layout {
  const name = (place: number) => layout.points[place]?.name ?? "";
  return {
    ...layout,
    lines: lines.map((line) => line.map(name)),
    steps: steps.map(([a, b]) => [name(a), name(b)]),
    marked: marked.map(name),
  };
}

/** Converts indices on a board to names, and back. */
export class Names {
  constructor(readonly layout: Layout) {}

  #point = (place: number): string => this.layout.points[place]?.name ?? "";
  #kind = (place: number): string => this.layout.kinds[place]?.id ?? "";

  move = ({ text, from, to, taken }: RawMove): MoveParts => ({
    text,
    ...(from === null ? {} : { from: this.#point(from) }),
    to: this.#point(to),
    taken: taken.map(this.#point),
  });

  state({ pieces, hands, lost, moves, ...rest }: RawState): State {
    return {
      ...rest,
      pieces: pieces.map(({ point, side, kind }) => ({ point: this.#point(point), side, kind: this.#kind(kind) })),
      hands: bySide(hands, (count) => count),
      lost: bySide(lost, (kinds) => kinds.map(this.#kind)),
      moves: moves.map(this.move),
    };
  }

  /** @throws {EngineError} for a point or a kind that the board does not have */
  setup({ pieces, side, hands }: Required<Setup>): RawSetup {
    const place = (names: readonly string[], name: string, what: string) => {
      const at = names.indexOf(name);
      if (at < 0) throw new EngineError(`unknown ${what} ${JSON.stringify(name)}, expected one of ${names.join(", ")}`);
      return at;
    };
    const points = this.layout.points.map(({ name }) => name);
    const kinds = this.layout.kinds.map(({ id }) => id);
    const raw = ({ point, side, kind }: Piece): RawPiece => ({
      point: place(points, point, "point"),
      side,
      kind: place(kinds, kind, "kind"),
    });
    return { pieces: pieces.map(raw), side, hands: [hands.white, hands.black] };
  }
}

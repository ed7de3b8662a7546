import type { Variant } from "millbrain";
import * as v from "valibot";
import { path } from "../../game/tree.js";
import { resultOf } from "../ladder.js";
import { FULL } from "../../game/players.js";
import type { ListedGame } from "./stored.js";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Results of a person's games against one level of the computer. */
const ROW = v.object({
  variant: v.string(),
  /** Whether they had house rules. */
  house: v.boolean(),
  level: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(FULL)),
  won: count,
  drawn: count,
  lost: count,
});

const STATISTICS = v.object({
  rows: v.fallback(
    v.pipe(
      v.array(v.fallback(v.nullable(ROW), null)),
      v.transform((rows) => rows.filter((row) => row !== null)),
    ),
    [],
  ),
  /** Keys of the counted games, the latest last: a game that was taken back and continued counts only once. */
  counted: v.fallback(v.array(v.string()), []),
});

export type Row = v.InferOutput<typeof ROW>;
export type Statistics = v.InferOutput<typeof STATISTICS>;

/** The rows of a variant, by level. */
export interface Part {
  readonly variant: Variant;
  readonly house: boolean;
  readonly rows: readonly Row[];
  /** Sum over all levels. */
  readonly sum: Omit<Row, "variant" | "house" | "level">;
}

/** Number of stored keys: far more than the number of kept games. */
const REMEMBERED = 1000;

/** Reads the statistics from a stored text; unreadable parts are skipped. */
export function readStatistics(text: string | null): Statistics {
  let data: unknown;
  try {
    data = JSON.parse(text ?? "{}");
  } catch {
    data = {};
  }
  return v.parse(STATISTICS, typeof data === "object" && data !== null ? data : {});
}

const remembered = (keys: readonly string[]): string[] => keys.slice(-REMEMBERED);

/**
 * Returns the statistics after a game has ended in its current position. It counts once, if one person has played it
 * here against a computer from the start. An imported move has no time. The level is the last one.
 */
export function withGame(before: Statistics, game: ListedGame): Statistics {
  const { key, fen, rules, tree, at } = game;
  const result = resultOf(game);
  const played = path(tree, at);
  const isOwn = fen === undefined && played.length > 0 && played.every(({ time }) => time !== undefined);
  if (result === undefined || !isOwn || before.counted.includes(key)) return before;
  const { level, points } = result;
  const place = { variant: rules.variant, house: rules.options !== undefined, level };
  const isHere = (row: Row) =>
    row.variant === place.variant && row.house === place.house && row.level === level;
  const row = before.rows.find(isHere) ?? { ...place, won: 0, drawn: 0, lost: 0 };
  const how = points === 1 ? "won" : points === 0 ? "lost" : "drawn";
  return {
    rows: [...before.rows.filter((other) => !isHere(other)), { ...row, [how]: row[how] + 1 }],
    counted: remembered([...before.counted, key]),
  };
}

/** Returns the statistics after a game has got another key. */
export function withKey(before: Statistics, key: string, next: string): Statistics {
  if (!before.counted.includes(key)) return before;
  return { ...before, counted: remembered([...before.counted, next]) };
}

/** Returns empty statistics; counted games do not count again. */
export const emptied = ({ counted }: Statistics): Statistics => ({ rows: [], counted });

/** Returns the rows to show, in the order of these variants; house rules follow those of the variant. */
export function partsOf({ rows }: Statistics, variants: readonly Variant[]): Part[] {
  const parts = variants.flatMap((variant) => [false, true].map((house) => ({ variant, house })));
  return parts.flatMap(({ variant, house }) => {
    const own = rows.filter((row) => row.variant === variant && row.house === house);
    if (own.length === 0) return [];
    const total = (how: "won" | "drawn" | "lost") => own.reduce((sum, row) => sum + row[how], 0);
    const sum = { won: total("won"), drawn: total("drawn"), lost: total("lost") };
    return [{ variant, house, rows: own.toSorted((a, b) => a.level - b.level), sum }];
  });
}

import type { Variant } from "millbrain";
import * as v from "valibot";

const PUZZLE = v.object({
  variant: v.string(),
  fen: v.string(),
  goal: v.picklist(["win", "draw"]),
  /** Plies to the end of a win. */
  plies: v.optional(v.number()),
  /** Alternating moves of the solver and replies; one move is right each time, except a last one that ends the game. */
  solution: v.pipe(v.array(v.string()), v.minLength(1)),
  /** The moves after the solution to the end of a win. */
  rest: v.optional(v.array(v.string()), []),
  /** Wrong first moves that the levels choose, with the best replies. */
  wrong: v.record(v.string(), v.string()),
  /** Number of the levels 0 to 12 that fail. */
  difficulty: v.pipe(v.number(), v.minValue(0), v.maxValue(13)),
  themes: v.array(v.string()),
});

/** A puzzle as `millbrain puzzles` writes it. */
export type Puzzle = v.InferOutput<typeof PUZZLE>;

/** The files of the variants, each a chunk of the page that is fetched on demand. */
const FILES = import.meta.glob<string>("./puzzles/*.jsonl", { query: "?raw", import: "default" });

const fileOf = (variant: Variant) => FILES[`./puzzles/${variant}.jsonl`];

export const hasPuzzles = (variant: Variant): boolean => fileOf(variant) !== undefined;

/** Reads puzzles from the lines of a file. */
export function readPuzzles(text: string): Puzzle[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => v.parse(PUZZLE, JSON.parse(line)));
}

const loaded = new Map<Variant, Puzzle[]>();

/** Returns the puzzles of a variant; none for a variant without puzzles. */
export async function loadPuzzles(variant: Variant): Promise<Puzzle[]> {
  const known = loaded.get(variant);
  if (known) return known;
  const read = readPuzzles((await fileOf(variant)?.()) ?? "");
  loaded.set(variant, read);
  return read;
}

/** Returns the stored ID of a puzzle: a digest of its position, the same in any set. */
export function puzzleId({ variant, fen }: Puzzle): string {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5;
  for (const character of `${variant} ${fen}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}

/** Returns the number of the local calendar day. */
export function dayOf(date: Date): number {
  return Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Returns the puzzle of a day: all puzzles come once before one is repeated, easy and difficult ones mixed. */
export function puzzleOfDay(puzzles: readonly Puzzle[], day: number): Puzzle | undefined {
  const count = puzzles.length;
  // Steps of the golden section are spread evenly; without a common divisor they reach all puzzles.
  let step = Math.max(1, Math.round(count * 0.618));
  while (divisor(step, count) > 1) step += 1;
  return puzzles[(day * step) % count];
}

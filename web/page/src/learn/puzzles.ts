import type { Variant } from "millbrain";
import * as v from "valibot";

const PUZZLE = v.object({
  variant: v.string(),
  fen: v.string(),
  goal: v.picklist(["win", "draw"]),
  /** Plies to the end of a win, where the distance is known. */
  plies: v.optional(v.number()),
  /** Moves of the solver and replies by turns, as long as one move alone is right. */
  solution: v.pipe(v.array(v.string()), v.minLength(1)),
  /** How many of eight searches choose another move. */
  difficulty: v.pipe(v.number(), v.minValue(0), v.maxValue(8)),
  themes: v.array(v.string()),
});

/** A puzzle as `millbrain puzzles` writes it. */
export type Puzzle = v.InferOutput<typeof PUZZLE>;

/** The files of the variants, each a part of the page that is fetched when it is asked for. */
const FILES = import.meta.glob<string>("./puzzles/*.jsonl", { query: "?raw", import: "default" });

const fileOf = (variant: Variant) => FILES[`./puzzles/${variant}.jsonl`];

export const hasPuzzles = (variant: Variant): boolean => fileOf(variant) !== undefined;

/** Puzzles from the lines of a file. */
export function readPuzzles(text: string): Puzzle[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => v.parse(PUZZLE, JSON.parse(line)));
}

const loaded = new Map<Variant, Puzzle[]>();

/** The puzzles of a variant; none for one without. */
export async function loadPuzzles(variant: Variant): Promise<Puzzle[]> {
  const known = loaded.get(variant);
  if (known) return known;
  const read = readPuzzles((await fileOf(variant)?.()) ?? "");
  loaded.set(variant, read);
  return read;
}

/** What a puzzle is known by in what is stored: its position in short, the same in whatever set it is. */
export function puzzleId({ variant, fen }: Puzzle): string {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5;
  for (const character of `${variant} ${fen}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}

/** The number of the day that the calendar shows here. */
export function dayOf(date: Date): number {
  return Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** The puzzle of a day: each comes once before one comes again, easy and difficult ones mixed. */
export function puzzleOfDay(puzzles: readonly Puzzle[], day: number): Puzzle | undefined {
  const count = puzzles.length;
  // Steps of the golden section are spread evenly; without a common divisor they reach everything.
  let step = Math.max(1, Math.round(count * 0.618));
  while (divisor(step, count) > 1) step += 1;
  return puzzles[(day * step) % count];
}

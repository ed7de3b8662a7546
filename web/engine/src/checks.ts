import type { EngineSettings } from "./engine.js";
import type { GameStart } from "./game.js";
import {
  EngineError,
  type GameNode,
  type GameText,
  type Limits,
  type OptionValues,
  type Piece,
  type Position,
  type Ruleset,
  type Score,
  type Setup,
  type Side,
} from "./types.js";

/** The keys of a type, all of them: missing or extra keys do not compile. */
type Keys<T> = Readonly<Record<keyof T, true>>;

const RULES: Keys<GameText & GameStart> = {
  variant: true,
  options: true,
  fen: true,
  white: true,
  black: true,
  times: true,
  number: true,
  round: true,
  tags: true,
  comment: true,
  nodes: true,
  end: true,
};
const POSITION: Keys<Position> = { fen: true, moves: true };
/** Whether each limit ends a search by itself. */
const LIMITS: Readonly<Record<keyof Limits, boolean>> = {
  depth: true,
  nodes: true,
  mate: true,
  movetime: true,
  wtime: true,
  btime: true,
  winc: false,
  binc: false,
  movestogo: false,
  searchmoves: false,
};
const SETTINGS: Keys<EngineSettings> = {
  transport: true,
  assets: true,
  threads: true,
  options: true,
  rules: true,
  onNote: true,
  onDownload: true,
  onReading: true,
};
const SETUP: Keys<Setup> = { pieces: true, side: true, hands: true };
const PIECE: Keys<Piece> = { point: true, side: true, kind: true };
const SIDES: Keys<Record<Side, unknown>> = { white: true, black: true };
const NODE: Keys<GameNode> = {
  parent: true,
  move: true,
  said: true,
  time: true,
  clock: true,
  marks: true,
  before: true,
  comment: true,
};

/** Default maximum of a number: beyond it not every integer is representable. */
const MOST = Number.MAX_SAFE_INTEGER;
/** Maximum of the engine's four-byte numbers. */
const MOST_SCORE = 2 ** 31 - 1;

const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

/**
 * Returns the integer part of a number.
 * @throws {EngineError} a value that is not a number, or out of range
 */
export function whole(name: string, value: unknown, least = 0, most = MOST): number {
  if (typeof value === "number" && value >= least && Math.trunc(value) <= most) return Math.trunc(value);
  throw new EngineError(`${name} is ${shown(value)}, expected a number from ${least} to ${most}`);
}

/**
 * Rejects an argument that is not an object or has an unknown key.
 * @throws {EngineError} names the key
 */
export function onlyKeys(what: string, value: unknown, keys: Readonly<Record<string, unknown>>): void {
  if (typeof value !== "object" || value === null) throw new EngineError(`${what} is ${shown(value)}, expected an object`);
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(keys, key));
  if (unknown === undefined) return;
  throw new EngineError(`unknown ${shown(unknown)} in ${what}, expected one of ${Object.keys(keys).join(", ")}`);
}

/**
 * Rejects a value that is not one of these words.
 * @throws {EngineError} names the value
 */
export function oneOf(name: string, value: unknown, words: readonly string[]): void {
  if (!words.some((word) => word === value))
    throw new EngineError(`${name} is ${shown(value)}, expected one of ${words.join(", ")}`);
}

export const checkSide = (name: string, side: unknown): void => oneOf(name, side, Object.keys(SIDES));

/** Returns validated options; numbers are reduced to their integer part. */
export function checkedOptions(options: OptionValues): OptionValues {
  if (typeof options !== "object" || options === null) throw new EngineError(`options is ${shown(options)}, expected an object`);
  const checked = ([name, value]: [string, unknown]) => {
    if (typeof value === "number") return [name, whole(name, value, -MOST)];
    if (typeof value === "string" || typeof value === "boolean") return [name, value];
    throw new EngineError(`${name} is ${shown(value)}, expected a number, a text, true or false`);
  };
  return Object.fromEntries(Object.entries(options).map(checked));
}

/** Returns validated rules without other fields of a game. */
export function checkedRules(rules: Ruleset): Ruleset {
  onlyKeys("rules", rules, RULES);
  const { variant, options } = rules;
  if (typeof variant !== "string") throw new EngineError(`variant is ${shown(variant)}, expected a name`);
  return options === undefined ? { variant } : { variant, options: checkedOptions(options) };
}

export const checkPosition = (position: Position): void => onlyKeys("position", position, POSITION);

/** Returns validated limits with integer numbers. */
export function checkedLimits(limits: Limits): Limits {
  onlyKeys("limits", limits, LIMITS);
  const { searchmoves, ...numbers } = limits;
  const checked = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, whole(name, value)]));
  return searchmoves === undefined ? checked : { ...checked, searchmoves };
}

/**
 * Rejects limits with which a search runs until it is stopped.
 * @throws {EngineError} names the limits that end a search
 */
export function checkEnds(limits: Limits): void {
  onlyKeys("limits", limits, LIMITS);
  const ends = Object.entries(LIMITS).flatMap(([name, isEnd]) => (isEnd ? [name] : []));
  if (!ends.some((name) => name in limits)) throw new EngineError(`no limit, expected one of ${ends.join(", ")}`);
}

/** Returns validated settings with integer numbers. */
export function checkedSettings(settings: EngineSettings): EngineSettings {
  onlyKeys("settings", settings, SETTINGS);
  const { threads, options, rules } = settings;
  return {
    ...settings,
    ...(threads === undefined ? {} : { threads: whole("threads", threads, 1) }),
    ...(options === undefined ? {} : { options: checkedOptions(options) }),
    ...(rules === undefined ? {} : { rules: checkedRules(rules) }),
  };
}

/** Returns a validated setup with integer numbers. */
export function checkedSetup(setup: Setup): Required<Setup> {
  onlyKeys("setup", setup, SETUP);
  const { pieces, side, hands = { white: 0, black: 0 } } = setup;
  checkSide("side", side);
  for (const piece of pieces) {
    onlyKeys("piece", piece, PIECE);
    checkSide("side", piece.side);
  }
  onlyKeys("hands", hands, SIDES);
  const hand = (name: Side) => whole(`hands.${name}`, hands[name], 0, MOST_SCORE);
  return { pieces, side, hands: { white: hand("white"), black: hand("black") } };
}

/** Returns a validated score with an integer number. */
export function checkedScore(score: Score): Score {
  onlyKeys("score", score, "mate" in score ? { mate: true } : { cp: true });
  return "mate" in score
    ? { mate: whole("mate", score.mate, -MOST_SCORE, MOST_SCORE) }
    : { cp: whole("cp", score.cp, -MOST_SCORE, MOST_SCORE) };
}

/** Returns a validated game with integer numbers. */
export function checkedGame(game: GameText): GameText {
  const rules = checkedRules(game);
  const node = (node: GameNode): GameNode => {
    onlyKeys("node", node, NODE);
    const { parent, move, said, time, clock, marks, before, comment } = node;
    if (said !== undefined) onlyKeys("said", said, { score: true, depth: true });
    return {
      parent: whole("parent", parent),
      move,
      ...(said === undefined ? {} : { said: { score: checkedScore(said.score), depth: whole("depth", said.depth, 0, MOST_SCORE) } }),
      ...(time === undefined ? {} : { time: whole("time", time) }),
      ...(clock === undefined ? {} : { clock: whole("clock", clock) }),
      ...(marks === undefined ? {} : { marks: marks.map((mark) => whole("marks", mark, 0, 255)) }),
      ...(before === undefined ? {} : { before }),
      ...(comment === undefined ? {} : { comment }),
    };
  };
  const counts = (["number", "round"] as const).filter((name) => game[name] !== undefined);
  const numbers = Object.fromEntries(counts.map((name) => [name, whole(name, game[name] as number, 1)]));
  return { ...game, ...rules, ...numbers, nodes: game.nodes.map(node) };
}

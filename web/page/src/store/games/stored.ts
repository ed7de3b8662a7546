import type { RuleOption, Ruleset } from "millbrain";
import * as v from "valibot";
import { BOARD_NAMES, STONE_NAMES } from "@millbrain/board/model";
import { CONTROLS, newClock } from "../../game/clock.js";
import { isMove } from "../../game/moves.js";
import { type Facts, factsOf, OUTCOMES, TERMINATIONS } from "../../game/text.js";
import { isTree, ROOT, type Tree } from "../../game/tree.js";
import { ruleset, variantInfo } from "../../game/variants.js";
import { LANGS } from "../../i18n/langs.js";
import { FULL, MOST_NAME, TIMES } from "../../game/players.js";

/**
 * Data stored in the browser may come from other versions, other pages of the host, or manual changes. Everything is
 * validated by these schemas: an optional value is replaced, a game that cannot be shown is rejected.
 */

export const THEMES = ["system", "light", "dark"] as const;
export const ENGINES = ["auto", "browser", "server"] as const;
/** Maximum length of an address. */
export const MOST_ADDRESS = 2000;
/** Maximum number of analysed lines. */
export const MOST_LINES = 5;

const flag = (value: boolean) => v.fallback(v.boolean(), value);
/** An optional field whose loss is harmless. */
const extra = <T extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(schema: T) =>
  v.optional(v.fallback(v.optional(schema), undefined as never));
/** Name of a person, on one line. */
const name = v.pipe(v.string(), v.maxLength(MOST_NAME), v.regex(/^\P{Cc}*$/u));

export const SETTINGS = v.object({
  /** Empty for the browser's own language. */
  lang: v.fallback(v.picklist(["", ...LANGS]), ""),
  theme: v.fallback(v.picklist(THEMES), "system"),
  /** Whether the evaluation bar is shown. */
  bar: flag(false),
  /** Whether the values of the tables are shown on the board. */
  tables: flag(false),
  /** Whether the position is always analysed. */
  analyse: flag(false),
  /** Number of analysed lines. */
  lines: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_LINES)), 3),
  /** Whether finished games are reviewed for mistakes. */
  review: flag(true),
  /** The alias by which a variant was chosen; empty for none. */
  alias: v.fallback(name, ""),
  /** The clock of new games; empty for none. */
  clock: v.fallback(v.picklist(["", ...CONTROLS]), ""),
  sound: flag(true),
  /** The colours of the stones; by default those of the game. */
  stones: v.fallback(v.picklist(["own", ...STONE_NAMES]), "own"),
  wood: v.fallback(v.picklist(BOARD_NAMES), "oak"),
  /** Name of the user; empty for none. */
  name: v.fallback(name, ""),
  flipped: flag(false),
  coordinates: flag(true),
  engine: v.fallback(v.picklist(ENGINES), "auto"),
  /** The address of a compact table; empty for one beside the page, if there is one. */
  table: v.fallback(v.pipe(v.string(), v.maxLength(MOST_ADDRESS), v.regex(/^\P{Cc}*$/u)), ""),
});

const player = (kind: "human" | "computer") =>
  v.fallback(
    v.object({
      kind: v.picklist(["human", "computer"]),
      name: extra(name),
      /** `Skill Level`. */
      level: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(FULL)), 8),
      /** Milliseconds per move. */
      time: v.fallback(v.picklist(TIMES), 1000),
    }),
    { kind, level: 8, time: 1000 },
  );
const PLAYERS = v.object({ white: player("human"), black: player("computer") });

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A time within the range of dates. */
const moment = v.pipe(count, v.maxValue(8_640_000_000_000_000));
/** A stopped clock. */
const clock = v.pipe(
  v.object({
    control: v.object({ base: count, increment: count }),
    left: v.object({ white: v.pipe(v.number(), v.minValue(0)), black: v.pipe(v.number(), v.minValue(0)) }),
  }),
  v.transform(({ control, left }) => newClock(control, left)),
);
const integer = v.pipe(v.number(), v.safeInteger());
const score = v.union([v.object({ mate: integer }), v.object({ cp: integer })]);

const node = v.object({
  id: integer,
  parent: integer,
  move: v.string(),
  children: v.array(integer),
  judgement: extra(
    v.object({ score, depth: count, nodes: count, best: extra(v.string()), pv: extra(v.array(v.string())) }),
  ),
  mark: extra(v.picklist(["?!", "?", "??"])),
  loss: extra(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  time: extra(count),
  said: extra(v.object({ score, depth: count })),
  clock: extra(count),
  marks: extra(v.array(v.pipe(count, v.maxValue(255)))),
  before: extra(v.string()),
  comment: extra(v.string()),
});

/** The facts of a game that was played elsewhere. */
const facts = v.pipe(
  v.object({
    times: extra(v.tuple([v.string(), v.string()])),
    number: extra(count),
    round: extra(count),
    tags: extra(v.array(v.tuple([v.string(), v.string()]))),
  }),
  v.transform((reported): Facts => factsOf(reported) ?? {}),
);

const tree = v.pipe(
  v.object({ nodes: v.array(node) }),
  v.check((data) => isTree(data)),
  v.transform((data): Tree => data),
);

function isValue({ choice }: RuleOption, value: unknown): boolean {
  if (choice.kind === "switch") return typeof value === "boolean";
  if (choice.kind === "word") return choice.words.some((word) => word === value);
  return Number.isInteger(value) && choice.least <= Number(value) && Number(value) <= choice.most;
}

/** Existing rules. */
const rules = v.pipe(
  v.object({
    variant: v.string(),
    options: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
  }),
  v.check(({ variant, options = {} }) => {
    const own = variantInfo(variant)?.options;
    const isOne = ([name, value]: [string, unknown]) =>
      own?.some((option) => option.name === name && isValue(option, value));
    return own !== undefined && Object.entries(options).every(isOne);
  }),
  v.transform(({ variant, options }): Ruleset => ruleset(variant, options)),
);

const GAME = {
  /** Identifies the game. */
  key: v.pipe(v.string(), v.minLength(1)),
  rules,
  fen: v.optional(v.string()),
  tree,
  /** The node on the board. */
  at: count,
  /** An end outside the rules, and its node. */
  closed: v.optional(
    v.object({
      node: count,
      outcome: v.picklist(OUTCOMES),
      reason: v.string(),
      termination: v.picklist(TERMINATIONS),
    }),
  ),
  facts: extra(facts),
};
const fits = (game: { rules: Ruleset; tree: Tree; at: number; closed?: { node: number } | undefined }) =>
  game.tree.nodes.every(({ move }, i) => (i === ROOT ? move === "" : isMove(move, game.rules))) &&
  game.tree.nodes[game.at] !== undefined &&
  (game.closed === undefined || game.tree.nodes[game.closed.node] !== undefined);
/** Returns a game without evaluations whose moves are invalid under its rules. */
function withoutNonsense<T extends { rules: Ruleset; tree: Tree }>(game: T): T {
  const isOne = (move: string) => isMove(move, game.rules);
  const nodes = game.tree.nodes.map((node) => {
    if (node.judgement === undefined) return node;
    const { best, pv, ...reported } = node.judgement;
    const moves = { ...(best && isOne(best) ? { best } : {}), ...(pv?.every(isOne) ? { pv } : {}) };
    return { ...node, judgement: { ...reported, ...moves } };
  });
  return { ...game, tree: { nodes } };
}

/** The game on the board, as stored across visits. */
const KEPT = v.pipe(
  v.object({
    ...GAME,
    auto: flag(true),
    paused: flag(false),
    clock: extra(clock),
    names: extra(v.object({ white: v.string(), black: v.string() })),
    date: v.fallback(moment, 0),
    /** Whether its current state is among the games of this device. */
    listed: flag(false),
    /** Earlier revisions of the stored game. */
    known: v.fallback(v.array(v.string()), []),
  }),
  v.check((game) => fits(game)),
  v.transform((game) => withoutNonsense(game)),
);

/** A game of this device, with all its variations. */
const LISTED = v.pipe(
  v.object({
    ...GAME,
    players: extra(PLAYERS),
    /** Time of the last move, or of saving. */
    saved: moment,
    /** Whether it is kept only because it was played, until a hundred later ones. */
    auto: extra(v.boolean()),
    /** Identifies the window that wrote it last. */
    revision: extra(v.string()),
    white: v.string(),
    black: v.string(),
    outcome: v.optional(v.picklist(OUTCOMES)),
    /** Moves of the line on the board. */
    plies: count,
  }),
  v.check((game) => fits(game)),
  v.transform((game) => withoutNonsense(game)),
);

export type Settings = v.InferOutput<typeof SETTINGS>;
export type Kept = v.InferOutput<typeof KEPT>;
export type ListedGame = v.InferOutput<typeof LISTED>;
export type Players = v.InferOutput<typeof PLAYERS>;

function read<T extends v.GenericSchema>(schema: T, data: unknown): v.InferOutput<T> | undefined {
  const result = v.safeParse(schema, data);
  return result.success ? result.output : undefined;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Reads the settings from their text; defaults without one, or for invalid data. */
export function readSettings(text: string | null): Settings {
  const data = parsed(text);
  return v.parse(SETTINGS, typeof data === "object" && data !== null ? data : {});
}

/** Reads the players and, if readable, the game of a stored text. */
export function readKept(text: string | null): { players?: Players | undefined; game?: Kept | undefined } {
  const data = parsed(text);
  const players = (data as { players?: unknown } | null)?.players;
  return { players: read(PLAYERS, players), game: read(KEPT, data) };
}

export const readListed = (data: unknown): ListedGame | undefined => read(LISTED, data);

import { NotationError } from "millbrain";
import { Fault, quoted } from "../game/fault.js";
import { en, type Key } from "../i18n/en.js";
import { named, t } from "../i18n/index.svelte.js";
import { known, reasonText } from "./words.js";

/** The engine's English messages, and the equivalent texts. Named groups are values of the text. */
export const REFUSALS: readonly (readonly [RegExp, Key])[] = [
  [/^(?<field>.+) is missing, expected (?<expected>.+)$/, "fen.missing"],
  [/^(?<field>.+) is (?<text>".*"), expected (?<expected>.+)$/, "fen.field"],
  [/^unexpected text (?<text>".*") after the last field$/, "fen.extra"],
  [/^(?<n>\d+) rows?, expected (?<count>\d+)$/, "fen.rows"],
  [/^row (?<row>\d+) is too (?:long|short): (?<n>\d+) cells?, expected (?<count>\d+)$/, "fen.row"],
  [/^character (?<text>.+) in row (?<row>\d+), expected one of (?<letters>.+)$/, "fen.character"],
  [
    /^(?<side>\w+)'s stones on board given as (?<n>\d+), but the board shows (?<count>\d+)$/,
    "fen.contradiction",
  ],
  [
    /^(?<side>\w+) has (?<n>\d+) stones on board and in hand, expected at most (?<count>\d+)$/,
    "fen.manyStones",
  ],
  [/^(?<side>\w+) has (?<n>\d+) Brains, expected at most 1$/, "fen.manyBrains"],
  [/^(?<side>\w+) has (?<n>\d+) pieces, expected at most (?<count>\d+)$/, "fen.manyPieces"],
  [/^both sides have fewer than three stones,/, "fen.fewStones"],
  [/^both Brains are missing,/, "fen.noBrains"],
  [/^a removal is due,/, "fen.removalDue"],
  [/^move (?<number>\d+) \((?<move>.*)\) cannot be read,/, "move.unreadable"],
  [/^move (?<number>\d+) \((?<move>.*)\) is illegal,/, "move.illegal"],
  [/^move (?<number>\d+) \((?<move>.*)\) closes a mill: .*, such as (?<example>\S+)$/, "move.mill"],
  [/^move (?<number>\d+) \((?<move>.*)\) takes no stone here, expected (?<example>\S+)$/, "move.noMill"],
  [
    /^move (?<number>\d+) \((?<move>.*)\) cannot take (?<point>\S+), expected a move such as (?<example>\S+)$/,
    "move.protected",
  ],
  [/^move (?<number>\d+) \((?<move>.*)\) comes after the end of the game \((?<reason>.*)\)$/, "move.over"],
  [/^invalid value "(?<text>.*)" for (?<option>.+): expected (?<expected>.+)$/, "option.value"],
  [/^no value for (?<option>.+): expected (?<expected>.+)$/, "option.none"],
  [/^no memory for the engine$/, "engine.memory"],
  [/^the worker could not be started$/, "engine.start"],
  [/^the engine has (?:ended|been closed)$/, "engine.gone"],
  [/^the connection to \S+ is closed/, "engine.lost"],
  [/^(?<file>\S+) is not at (?<url>\S+) \((?<detail>.*)\)$/, "engine.file"],
  [/^(?<file>\S+) at (?<url>\S+) is damaged \((?<detail>.*)\)$/, "engine.damaged"],
];

const translated = (prefix: string, text: string): string => {
  const key = known(prefix + text);
  return key ? t(key) : text;
};

/** How to translate the groups of the engine's messages. */
const VALUES: Record<string, (text: string) => string> = {
  field: (text) => translated("field.", text),
  side: (text) => translated("", text),
  option: (text) => named("option", text),
  reason: (text) => reasonText({ reason: text, termination: "normal" }),
  expected: (text) => {
    const [, low, high] = /(\d+)(?:\.\.=| to )(\d+)$/.exec(text) ?? [];
    if (low !== undefined && high !== undefined) return t("expected.range", { low, high });
    return translated("expected.", text);
  },
};

/** Translates one fault of the engine; unknown messages remain unchanged. */
function refusalText(words: string): string {
  for (const [pattern, key] of REFUSALS) {
    const groups = pattern.exec(words)?.groups;
    if (groups === undefined && !pattern.test(words)) continue;
    const values = Object.entries(groups ?? {}).map(([name, text]) => [name, VALUES[name]?.(text) ?? text]);
    return t(key, Object.fromEntries(values));
  }
  return words;
}

/** Describes an error, one text per fault. */
export function faultTexts(error: unknown): string[] {
  if (error instanceof Fault) return [t(error.key, error.values)];
  if (error instanceof NotationError && `fault.${error.id}` in en) {
    const { text, ...values } = error.values;
    return [
      t(`fault.${error.id}` as Key, { ...values, ...(text === undefined ? {} : { text: quoted(text) }) }),
    ];
  }
  const words = error instanceof Error ? error.message : String(error);
  return words
    .replace(/^((position|setoption) refused: )?(bad FEN: )?/, "")
    .split("; ")
    .map(refusalText);
}

/** Describes an error in one text. */
export function faultText(error: unknown): string {
  return faultTexts(error).join("; ");
}

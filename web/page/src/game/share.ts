import type { GameEnd, Ruleset } from "millbrain";
import { Fault, quoted } from "./fault.js";
import { readMove } from "./moves.js";
import { type Names, outcomeOf, resultText, TERMINATIONS } from "./text.js";
import { readOptions, ruleset, variantInfo, writeOptions } from "./variants.js";

/** The contents of a link: rules, a position if the game does not begin at the start, moves, names and result. */
export interface Shared {
  readonly rules: Ruleset;
  readonly fen?: string;
  readonly moves: readonly string[];
  readonly names?: Names;
  /** An end outside the rules. */
  readonly end?: GameEnd;
}

/** Default termination of a game with only a result and a reason. */
const USUAL = "resignation";

/** Encodes a text with spaces as underscores and slashes unchanged: such links survive being pasted. */
const plain = (text: string) =>
  encodeURIComponent(text)
    .replace(/[_!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "_")
    .replace(/%2F|%3D|%3B|%2C/g, decodeURIComponent);

/**
 * Writes a link such as `#v=morris&m=d6,f4`. If needed it includes `&f=FEN`, `&o=Stones=10,Flying=false`, the names
 * `&w=…&b=…`, and `&r=1-0&e=REASON` for an end outside the rules.
 */
export function writeLink({ rules, fen, moves, names, end }: Shared): string {
  const fields: Readonly<Record<string, string | undefined>> = {
    v: rules.variant,
    o: writeOptions(rules.options),
    f: fen,
    w: names?.white,
    b: names?.black,
    r: end && resultText(end.outcome),
    e: end?.reason,
    t: end?.termination === USUAL && end.outcome !== "none" ? undefined : end?.termination,
    m: moves.join(),
  };
  const parts = Object.entries(fields).flatMap(([name, text]) => (text ? [`${name}=${plain(text)}`] : []));
  return `#${parts.join("&")}`;
}

/** The fields of a link. */
const FIELDS = "vofwbretm";

function readEnd(fields: ReadonlyMap<string, string>): GameEnd | undefined {
  const result = fields.get("r");
  if (result === undefined || (result === "*" && !fields.has("t"))) return undefined;
  const outcome = outcomeOf(result);
  if (outcome === undefined) throw new Fault("fault.result", { text: quoted(result) });
  const termination = TERMINATIONS.find((known) => known === fields.get("t")) ?? USUAL;
  return { outcome, reason: fields.get("e") ?? "", termination };
}

/**
 * Parses the part of an address after `#`; returns `undefined` if it is not a link to a game.
 * @throws {Fault} an unreadable link
 */
export function readLink(hash: string): Shared | undefined {
  if (!/(^#?|&)v=/.test(hash)) return undefined;
  const fields = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    const name = part.slice(0, at);
    if (!FIELDS.includes(name)) throw new Fault("fault.field", { text: quoted(part) });
    try {
      fields.set(name, decodeURIComponent(part.slice(at + 1).replaceAll("_", " ")));
    } catch {
      throw new Fault("fault.escape", { text: quoted(part) });
    }
  }
  const variant = variantInfo(fields.get("v"))?.name;
  if (variant === undefined) throw new Fault("fault.variant", { text: quoted(fields.get("v") ?? "") });
  const rules = ruleset(variant, readOptions(variant, fields.get("o") ?? ""));
  const fen = fields.get("f")?.replaceAll("+", " ").trim();
  const moves = (fields.get("m") ?? "")
    .split(/[,\s]+/)
    .filter((move) => move !== "")
    .map((move, i) => readMove(move, i + 1, rules));
  const [white, black] = [fields.get("w"), fields.get("b")];
  const end = readEnd(fields);
  return {
    rules,
    moves,
    ...(fen ? { fen } : {}),
    ...(white || black ? { names: { white: white || "–", black: black || "–" } } : {}),
    ...(end ? { end } : {}),
  };
}

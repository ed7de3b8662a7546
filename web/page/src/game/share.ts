import type { Ruleset } from "millbrain";
import { Fault, quoted } from "./fault.js";
import { readMove } from "./moves.js";
import { readOptions, ruleset, variantInfo, writeOptions } from "./variants.js";

/** What a link holds: rules, a position if the game does not begin at the start, and moves. */
export interface Shared {
  readonly rules: Ruleset;
  readonly fen?: string;
  readonly moves: readonly string[];
}

/** `#v=morris&m=d6,f4`, with `&f=FEN` and `&o=Stones=10;Flying=false` where they are needed. */
export function writeLink({ rules, fen, moves }: Shared): string {
  const parts = [`v=${rules.variant}`];
  const house = writeOptions(rules.options);
  // Spaces as underlines and slashes as they are: such links survive being pasted.
  const plain = (text: string) =>
    encodeURIComponent(text.replaceAll(" ", "_")).replace(/%2F|%3D|%3B|%2C/g, decodeURIComponent);
  if (house !== "") parts.push(`o=${plain(house)}`);
  if (fen !== undefined) parts.push(`f=${plain(fen)}`);
  if (moves.length > 0) parts.push(`m=${moves.join(",")}`);
  return `#${parts.join("&")}`;
}

/**
 * What the part of an address after `#` holds; nothing if it is no link to a game.
 * @throws {Fault} when it is one that cannot be read
 */
export function readLink(hash: string): Shared | undefined {
  if (!/(^#?|&)v=/.test(hash)) return undefined;
  const fields = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    try {
      fields.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)).replaceAll("_", " "));
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
  return { rules, moves, ...(fen ? { fen } : {}) };
}

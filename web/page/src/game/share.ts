import { type OptionValues, type Ruleset, type Variant, VARIANTS } from "millbrain";
import { readOptions, ruleset, writeOptions } from "./variants.js";

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

export function readLink(hash: string): Shared | undefined {
  const fields = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    try {
      fields.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)).replaceAll("_", " "));
    } catch {
      return undefined;
    }
  }
  const variant: Variant | undefined = VARIANTS.find((name) => name === fields.get("v"));
  if (variant === undefined) return undefined;
  const options: OptionValues = readOptions(variant, fields.get("o") ?? "");
  const fen = fields.get("f")?.replaceAll("+", " ").trim();
  const moves = (fields.get("m") ?? "").split(/[,\s]+/).filter((move) => move !== "");
  return { rules: ruleset(variant, options), moves, ...(fen ? { fen } : {}) };
}

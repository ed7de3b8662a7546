import type { OptionValues, Ruleset, Variant } from "millbrain";
import { Fault, quoted } from "./fault.js";

/** Rule options of the morris family; `Repetition Draw` is one of both families. */
const MORRIS_OPTIONS = {
  Stones: 9,
  Flying: true,
  Removal: "if-all",
  Board: "plain",
  "Moves While Placing": false,
  "Once Per Line Mills": false,
  "No Mill Draw": 100,
  "Repetition Draw": true,
} as const;
const SMESS_OPTIONS = { "No Capture Draw": 100, "Repetition Draw": true } as const;

/** What the variants change; the engine says the rest by the rules themselves. */
const CHANGES: Record<Variant, OptionValues> = {
  morris: {},
  muehle: { "No Mill Draw": 20 },
  mylos: { Removal: "never" },
  mlyn: { Flying: false },
  lasker: { Stones: 10, "Moves While Placing": true },
  morabaraba: { Stones: 12, Board: "diagonals" },
  smess: {},
};

/** The rule options of a variant with its own values. */
export function variantOptions(variant: Variant): OptionValues {
  return { ...(variant === "smess" ? SMESS_OPTIONS : MORRIS_OPTIONS), ...CHANGES[variant] };
}

/** The options that differ from the variant, in a fixed order: the engine compares rules by their text. */
export function houseRules(variant: Variant, options: OptionValues): OptionValues {
  const own = variantOptions(variant);
  return Object.fromEntries(
    Object.keys(own).flatMap((name) => {
      const value = options[name];
      return value === undefined || value === own[name] ? [] : [[name, value]];
    }),
  );
}

/** Rules with these options, without those that are the variant's own. */
export function ruleset(variant: Variant, options: OptionValues = {}): Ruleset {
  const house = houseRules(variant, options);
  return Object.keys(house).length === 0 ? { variant } : { variant, options: house };
}

/** All rule options as they are in force. */
export function inForce(rules: Ruleset): OptionValues {
  return { ...variantOptions(rules.variant), ...rules.options };
}

/** Options as text, such as `Stones=10;Flying=false`. */
export function writeOptions(options: OptionValues = {}): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(";");
}

function readOption(kind: string, value: string): string | number | boolean | undefined {
  if (kind === "boolean") return { true: true, false: false }[value];
  if (kind === "string") return value;
  return /^\d{1,5}$/.test(value) ? Number(value) : undefined;
}

/**
 * The inverse of `writeOptions`; what is not a rule of the variant is left out.
 * @throws {Fault} when a rule has no value of its kind
 */
export function readOptions(variant: Variant, text: string): OptionValues {
  const own = variantOptions(variant);
  const options: Record<string, string | number | boolean> = {};
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    const name = Object.keys(own).find(
      (known) => known.toLowerCase() === part.slice(0, at).trim().toLowerCase(),
    );
    if (at < 0 || name === undefined) continue;
    const value = part
      .slice(at + 1)
      .trim()
      .toLowerCase();
    const read = readOption(typeof own[name], value);
    if (read === undefined) throw new Fault("fault.option", { name, text: quoted(value) });
    options[name] = read;
  }
  return houseRules(variant, options);
}

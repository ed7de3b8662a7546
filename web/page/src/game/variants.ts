import type { OptionValues, RuleOption, Ruleset, Variant, VariantInfo } from "millbrain";
import { rules } from "../engine/rules.js";
import { Fault, quoted } from "./fault.js";

/** Returns the engine's data about a variant, by its name or an alias; `undefined` for an unknown name. */
export function variantInfo(name: string | undefined): VariantInfo | undefined {
  return rules()
    .variants()
    .find((variant) => variant.name === name || variant.aliases.some((alias) => alias === name));
}

/** Returns the name of the variant that is chosen by default. */
export const firstVariant = (): Variant => rules().variants()[0]?.name ?? "";

const optionsOf = (variant: Variant): readonly RuleOption[] => variantInfo(variant)?.options ?? [];

/** Returns the rule options of a variant with its own values. */
export function variantOptions(variant: Variant): OptionValues {
  return Object.fromEntries(optionsOf(variant).map(({ name, value }) => [name, value]));
}

/** Returns the options that differ from the variant, in the engine's order: it compares rules by their text. */
export function houseRules(variant: Variant, options: OptionValues): OptionValues {
  return Object.fromEntries(
    optionsOf(variant).flatMap(({ name, value: own }) => {
      const value = options[name];
      return value === undefined || value === own ? [] : [[name, value]];
    }),
  );
}

/** Returns rules with these options, without those that equal the variant's own. An alias becomes the name. */
export function ruleset(name: Variant, options: OptionValues = {}): Ruleset {
  const variant = variantInfo(name)?.name ?? name;
  const house = houseRules(variant, options);
  return Object.keys(house).length === 0 ? { variant } : { variant, options: house };
}

/** Returns all current rule options. */
export function inForce(rules: Ruleset): OptionValues {
  return { ...variantOptions(rules.variant), ...rules.options };
}

/** Formats options as text, such as `Stones=10,Flying=false`. */
export function writeOptions(options: OptionValues = {}): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

function readOption({ choice }: RuleOption, value: string): string | number | boolean | undefined {
  if (choice.kind === "switch") return { true: true, false: false }[value];
  if (choice.kind === "word") return value;
  return /^\d{1,5}$/.test(value) ? Number(value) : undefined;
}

/**
 * The inverse of `writeOptions`.
 * @throws {Fault} an unknown rule of the variant, or an invalid value
 */
export function readOptions(variant: Variant, text: string): OptionValues {
  const options: Record<string, string | number | boolean> = {};
  for (const part of text.split(/[,;]/)) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim().toLowerCase();
    const option = optionsOf(variant).find((known) => known.name.toLowerCase() === name);
    if (option === undefined) throw new Fault("fault.rule", { text: quoted(part), variant });
    const value = part
      .slice(at + 1)
      .trim()
      .toLowerCase();
    const read = readOption(option, value);
    if (read === undefined) throw new Fault("fault.option", { name: option.name, text: quoted(value) });
    options[option.name] = read;
  }
  return houseRules(variant, options);
}

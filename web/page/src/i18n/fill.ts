import type { Lang } from "./langs.js";

export type Values = Readonly<Record<string, string | number>>;

/** The plural forms of languages: making one is slow. */
const plurals = new Map<Lang, Intl.PluralRules>();

/**
 * Replaces `{name}` by values. For texts with `|` it selects the form for the number `n`: one and other, in Slovak one,
 * few and other.
 */
export function fill(pattern: string, values: Values, lang: Lang): string {
  const forms = pattern.split("|");
  let text = forms[0] as string;
  if (forms.length > 1) {
    const rules = plurals.get(lang) ?? new Intl.PluralRules(lang);
    plurals.set(lang, rules);
    const rule = rules.select(Number(values["n"]));
    text = (
      rule === "one" ? forms[0] : rule === "few" && forms.length > 2 ? forms[1] : forms.at(-1)
    ) as string;
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

import { settings } from "../store/settings.svelte.js";
import { de } from "./de.js";
import { en, type Dictionary, type Key } from "./en.js";
import { type Lang, LANGS } from "./langs.js";
import { sk } from "./sk.js";

export { LANG_NAMES, LANGS } from "./langs.js";
export type { Lang } from "./langs.js";

const DICTIONARIES: Record<Lang, Dictionary> = { en, de, sk };

function ofBrowser(): Lang {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  // Czechs read Slovak more easily than the other two.
  const known = wanted.map((tag) => (tag === "cs" ? "sk" : tag));
  return known.find((tag): tag is Lang => LANGS.includes(tag as Lang)) ?? "en";
}

const browser = ofBrowser();

/** The language in force. */
export function lang(): Lang {
  return settings.lang || browser;
}

/**
 * A text in the language in force. `{name}` is replaced; of texts with `|` the form for the number `n` is taken: one and
 * other, in Slovak one, few and other.
 */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const language = lang();
  const forms = DICTIONARIES[language][key].split("|");
  let text = forms[0] as string;
  if (forms.length > 1) {
    const rule = new Intl.PluralRules(language).select(Number(values["n"]));
    text = (
      rule === "one" ? forms[0] : rule === "few" && forms.length > 2 ? forms[1] : forms.at(-1)
    ) as string;
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

export function keepLanguage(): void {
  $effect.root(() => {
    $effect(() => {
      document.documentElement.lang = lang();
    });
  });
}

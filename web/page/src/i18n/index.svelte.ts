import { settings } from "../store/settings.svelte.js";
import { de } from "./de.js";
import { en, type Dictionary, type Key } from "./en.js";
import { fill, type Values } from "./fill.js";
import { type Group, textOf } from "./games.js";
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

/** A text in the language in force, with its values filled in. */
export function t(key: Key, values: Values = {}): string {
  const language = lang();
  return fill(DICTIONARIES[language][key], values, language);
}

/** What a thing of the games is called in the language in force; its id, if it has no name. */
export function named(group: Group, id: string | number): string {
  return textOf(group, id, lang()) ?? String(id);
}

export function keepLanguage(): void {
  $effect.root(() => {
    $effect(() => {
      document.documentElement.lang = lang();
    });
  });
}

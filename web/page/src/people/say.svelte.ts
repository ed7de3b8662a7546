import { fill, type Values } from "../i18n/fill.js";
import { type Lang, lang } from "../i18n/index.svelte.js";
import { de } from "../texts/de/people.js";
import { en, type Dictionary, type Key } from "../texts/en/people.js";
import { sk } from "../texts/sk/people.js";

const DICTIONARIES: Record<Lang, Dictionary> = { en, de, sk };

/** Returns a text of games between people in the current language, with its values filled in. */
export function say(key: Key, values: Values = {}): string {
  return fill(DICTIONARIES[lang()][key], values, lang());
}

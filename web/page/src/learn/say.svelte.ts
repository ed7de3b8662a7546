import { fill, type Values } from "../i18n/fill.js";
import { type Lang, lang } from "../i18n/index.svelte.js";
import { de } from "../texts/de/learn.js";
import { en, type Dictionary, type Key } from "../texts/en/learn.js";
import { sk } from "../texts/sk/learn.js";

export { type Key, sayable } from "./keys.js";

const DICTIONARIES: Record<Lang, Dictionary> = { en, de, sk };

/** Returns a text of lessons and puzzles in the current language, with its values filled in. */
export function say(key: Key, values: Values = {}): string {
  return fill(DICTIONARIES[lang()][key], values, lang());
}

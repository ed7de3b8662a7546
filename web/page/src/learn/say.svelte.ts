import { fill, type Values } from "../i18n/fill.js";
import { type Lang, lang, sideNames } from "../i18n/index.svelte.js";
import { de } from "../texts/de/learn.js";
import { en, type Dictionary, type Key } from "../texts/en/learn.js";
import { sk } from "../texts/sk/learn.js";

export { type Key, sayable } from "./keys.js";

type LessonTexts = Readonly<Record<string, { readonly title: string; readonly text: string }>>;
const LESSONS = import.meta.glob<LessonTexts>("../texts/*/lessons.json", { eager: true, import: "default" });

const DICTIONARIES: Record<Lang, Dictionary> = { en, de, sk };

/** Returns a text of lessons and puzzles in the current language, with its values filled in. */
export function say(key: Key, values: Values = {}): string {
  return fill(DICTIONARIES[lang()][key], { ...sideNames(), ...values }, lang());
}

/** Returns a text of a lesson in the current language. */
export function lessonText(id: string, part: "title" | "text"): string {
  return fill(LESSONS[`../texts/${lang()}/lessons.json`]?.[id]?.[part] ?? id, sideNames(), lang());
}

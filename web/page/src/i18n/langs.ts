/** The languages of the page. */
export const LANGS = ["en", "de", "sk"] as const;
export type Lang = (typeof LANGS)[number];
export const LANG_NAMES: Record<Lang, string> = { en: "English", de: "Deutsch", sk: "Slovenčina" };

import type { Lang } from "./langs.js";

/** Core's texts about the games, by name, such as `piece.stone`. */
export type GameTexts = Readonly<Record<string, string>>;

/** One file per language. English is part of the page. */
const [ENGLISH] = Object.values(
  import.meta.glob<GameTexts>("../../../../crates/core/src/texts/en.txt", { import: "default", eager: true }),
);
const FILES = import.meta.glob<GameTexts>(
  ["../../../../crates/core/src/texts/*.txt", "!../../../../crates/core/src/texts/en.txt"],
  { import: "default" },
);

const loaded: Partial<Record<Lang, GameTexts>> = { en: ENGLISH ?? {} };

/** Fetches the texts of a language, if necessary. */
export async function loadGameTexts(lang: Lang): Promise<void> {
  loaded[lang] ??= (await FILES[`../../../../crates/core/src/texts/${lang}.txt`]?.()) ?? {};
}

/** The groups of names that the page shows. */
export type Group = "variant" | "about" | "option" | "value" | "piece" | "ending" | "mark" | "level" | "fact";

/** Returns the text of this name; `undefined` if there is none. */
export const gameText = (name: string, lang: Lang): string | undefined => loaded[lang]?.[name];

/** Returns a text by its group and ID; `undefined` if there is none. */
export const textOf = (group: Group, id: string | number, lang: Lang): string | undefined =>
  gameText(`${group}.${id}`, lang);

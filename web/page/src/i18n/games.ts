import type { Lang } from "./langs.js";

/** Core's texts about the games, by name, such as `piece.stone`. */
export type GameTexts = Readonly<Record<string, string>>;

/** One file per language. English is part of the page, since games are written with its words. */
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

/** Returns a text by its group and ID; `undefined` if there is none. */
export function textOf(group: Group, id: string | number, lang: Lang): string | undefined {
  return loaded[lang]?.[`${group}.${id}`];
}

/** Returns the ID of the ending with this English text, as used in written games. */
export function endingId(words: string): string | undefined {
  const isIt = ([name, text]: [string, string]) => name.startsWith("ending.") && text === words;
  return Object.entries(loaded.en ?? {})
    .find(isIt)?.[0]
    .slice("ending.".length);
}

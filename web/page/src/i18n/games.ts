import type { Lang } from "./langs.js";

/** What core says of the games: texts by their names, such as `piece.stone`, a file a language. */
const FILES = import.meta.glob<Readonly<Record<string, string>>>("../../../../crates/core/src/texts/*.txt", {
  import: "default",
  eager: true,
});

const textsOf = (lang: Lang) => FILES[`../../../../crates/core/src/texts/${lang}.txt`] ?? {};

/** The groups of names that the page shows. */
export type Group = "variant" | "about" | "option" | "value" | "piece" | "ending" | "mark" | "level";

/** The text of a thing, by its group and its id; nothing for one that has none. */
export function textOf(group: Group, id: string | number, lang: Lang): string | undefined {
  return textsOf(lang)[`${group}.${id}`];
}

/** The id of the ending that has these words in English, as games are written with them. */
export function endingId(words: string): string | undefined {
  const isIt = ([name, text]: [string, string]) => name.startsWith("ending.") && text === words;
  return Object.entries(textsOf("en")).find(isIt)?.[0].slice("ending.".length);
}

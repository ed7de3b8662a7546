import type { StoneName } from "@millbrain/board/model";
import type { Message, Side, Variant } from "millbrain";
import { en, type Dictionary, type Key } from "../texts/en/page.js";
import { fill, type Values } from "./fill.js";
import { gameText, type Group, loadGameTexts, textOf } from "./games.js";
import { type Lang, LANGS } from "./langs.js";

export { LANG_NAMES, LANGS } from "./langs.js";
export type { Lang } from "./langs.js";

/** The loaded dictionaries. English is part of the page; the others are fetched on demand. */
let dictionaries: Partial<Record<Lang, Dictionary>> = $state.raw({ en });

const FETCHED: Record<Exclude<Lang, "en">, () => Promise<Dictionary>> = {
  de: async () => (await import("../texts/de/page.js")).de,
  sk: async () => (await import("../texts/sk/page.js")).sk,
};

function ofBrowser(): Lang {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  // Czech readers understand Slovak better than the other two.
  const known = wanted.map((tag) => (tag === "cs" ? "sk" : tag));
  return known.find((tag): tag is Lang => LANGS.includes(tag as Lang)) ?? "en";
}

const browser = ofBrowser();

/** The choices of the user that change texts. */
export interface Choices {
  /** Empty for the browser's own language. */
  readonly lang: Lang | "";
  /** The alias by which a variant was chosen; empty for none. */
  readonly alias: string;
}
let choices: Choices = { lang: "", alias: "" };

/** Makes texts follow these choices from now on. */
export function follow(reactive: Choices): void {
  choices = reactive;
}

const wanted = (): Lang => choices.lang || browser;

/** Returns the alias by which a variant was chosen; empty for none. */
export const chosenAlias = (): string => choices.alias;

/** Returns the current language: the wanted one, once its texts are loaded. */
export function lang(): Lang {
  return dictionaries[wanted()] ? wanted() : "en";
}

/** Fetches the texts of a language, by default the wanted one. */
export async function loadLanguage(name: Lang = wanted()): Promise<void> {
  if (name === "en" || dictionaries[name]) return;
  const [dictionary] = await Promise.all([FETCHED[name](), loadGameTexts(name)]);
  dictionaries = { ...dictionaries, [name]: dictionary };
}

/** Returns a text in the current language, with its values filled in. */
export function t(key: Key, values: Values = {}): string {
  const language = lang();
  return fill((dictionaries[language] ?? en)[key], values, language);
}

let stones: (variant?: Variant) => StoneName = () => "ivory";

/** Makes the names of the sides follow the colours of a variant's stones from now on. */
export function followStones(stonesOf: (variant?: Variant) => StoneName): void {
  stones = stonesOf;
}

const COLOURS: Record<StoneName, Record<Side, Key>> = {
  ivory: { white: "white", black: "black" },
  "blue-red": { white: "blue", black: "red" },
  "yellow-violet": { white: "yellow", black: "violet" },
  "mint-maroon": { white: "mint", black: "maroon" },
};

/** Returns the name of a side: the colour of its stones in a variant, by default that on the board. */
export const sideName = (side: Side, variant?: Variant): string => t(COLOURS[stones(variant)][side]);

/** Returns the names of both sides, as the values `White` and `Black` of a text. */
export const sideNames = (): Values => ({ White: sideName("white"), Black: sideName("black") });

/** Returns a message in the current language; `undefined` if it has no text here. */
export function messageText({ id, values }: Message): string | undefined {
  const language = lang();
  const pattern = gameText(id, language) ?? (dictionaries[language] ?? en)[id as Key];
  const shown = ([name, value]: [string, Message["values"][string]]): [string, string | number] => {
    if (typeof value === "number") return [name, value];
    // Options have their names in the protocol.
    if (typeof value === "string") return [name, name === "option" ? named("option", value) : value];
    const all = "id" in value ? [value] : value;
    // A family may have reasons of its own, which have no text.
    return [name, all.map((part) => messageText(part) ?? part.id).join("; ")];
  };
  return pattern && fill(pattern, Object.fromEntries(Object.entries(values).map(shown)), language);
}

/** Returns a name in the current language, or the ID if there is none. */
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

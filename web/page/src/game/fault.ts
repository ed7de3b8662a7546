import { en, type Key } from "../i18n/en.js";
import { fill, type Values } from "../i18n/fill.js";

/** Something wrong with what comes from outside. It is told by a key, so that every language has its own words. */
export class Fault extends Error {
  override name = "Fault";

  constructor(
    readonly key: Key,
    readonly values: Values = {},
  ) {
    super(fill(en[key], values, "en"));
  }
}

/** A piece of text from outside, short enough to be told. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

import { en, type Key } from "../texts/en/page.js";
import { fill, type Values } from "../i18n/fill.js";

/** A fault of external input. It has a key, so that every language has its own text. */
export class Fault extends Error {
  override name = "Fault";

  constructor(
    readonly key: Key,
    readonly values: Values = {},
  ) {
    super(fill(en[key], values, "en"));
  }
}

/** Returns a piece of external text, shortened for a message. */
export const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Returns the same in quotation marks. */
export const quoted = (text: string): string => JSON.stringify(shortened(text));

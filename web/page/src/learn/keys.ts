import { en, type Key } from "../texts/en/learn.js";

export type { Key } from "../texts/en/learn.js";

/** Returns a key built at run time, if there is such a text. */
export const sayable = (key: string): Key | undefined => (key in en ? (key as Key) : undefined);

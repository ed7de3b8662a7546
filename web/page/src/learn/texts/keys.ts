import { en, type Key } from "./en.js";

export type { Key } from "./en.js";

/** Returns a key built at run time, if there is such a text. */
export const sayable = (key: string): Key | undefined => (key in en ? (key as Key) : undefined);

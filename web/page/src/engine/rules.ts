import { Rules } from "millbrain";
import { assets } from "./assets.js";

let loaded: Rules | undefined;

/** Loads the rules; everything else waits for them. */
export async function loadRules(): Promise<void> {
  loaded = await Rules.create({ assets });
}

/** The rules, once they are loaded. */
export function rules(): Rules {
  if (loaded === undefined) throw new Error("the rules are not loaded yet");
  return loaded;
}

import { Rules } from "millbrain";

let loaded: Rules | undefined;

/** Loads the rules, from this address or from beside the package; everything else waits for them. */
export async function loadRules(assets?: string): Promise<void> {
  loaded = await Rules.create(assets === undefined ? {} : { assets });
}

/** The rules, once they are loaded. */
export function rules(): Rules {
  if (loaded === undefined) throw new Error("the rules are not loaded yet");
  return loaded;
}

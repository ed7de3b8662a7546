import { Rules } from "millbrain";

let loaded: Rules | undefined;

/**
 * Loads the rules, from an address or from beside the package; everything else waits for them. Without `games` the
 * module for games is loaded on first use.
 */
export async function loadRules(from: { assets?: string; games?: boolean } = {}): Promise<void> {
  loaded = await Rules.create(from);
}

/** Returns the rules, once they are loaded. */
export function rules(): Rules {
  if (loaded === undefined) throw new Error("the rules are not loaded yet");
  return loaded;
}

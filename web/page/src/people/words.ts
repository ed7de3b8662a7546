import { faultText } from "../panels/faults.js";
import { controlWords } from "../panels/words.js";
import { en, type Key } from "./texts/en.js";
import { say } from "./texts/index.svelte.js";
import type { Refused } from "./wire.js";

/** A clock as the server tells it, in words; of one with periods its own. */
export function clockWords(clock: string | null): string {
  if (clock === null) return say("correspondence");
  const [, base, increment = "0"] = /^(\d+)(?:\+(\d+))?$/.exec(clock) ?? [];
  if (base === undefined || Number(base) % 60 !== 0) return clock;
  return controlWords({ base: Number(base) * 1000, increment: Number(increment) * 1000 });
}

/** Why something was not done; in the server's own words where it is a newer one. */
export function refusalText({ code, error }: Refused): string {
  const key = `refused.${code}`;
  return key in en ? say(key as Key) : faultText(error);
}

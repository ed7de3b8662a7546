import { type Message, noteOf } from "millbrain";
import { Fault } from "../game/fault.js";
import { messageText, t } from "../i18n/index.svelte.js";

/** Describes an error, one text per fault. */
export function faultTexts(error: unknown): string[] {
  if (error instanceof Fault) return [t(error.key, error.values)];
  const { message, id, values } = noteOf(error);
  const faults = values["faults"];
  const all = Array.isArray(faults) ? faults : [{ id, values }];
  return all.map((fault) => messageText(fault) ?? message);
}

/** Describes an error in one text. */
export function faultText(error: unknown): string {
  return faultTexts(error).join("; ");
}

/** Returns the reason in a note of the engine. */
export const whyText = (why: string | Message): string =>
  typeof why === "string" ? why : (messageText(why) ?? "");

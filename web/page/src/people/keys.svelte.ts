import { OnDevice } from "../store/device.svelte.js";

/** Maximum keys of a device, as on the server. */
const MOST = 16;

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Returns the keys in a text, each once. */
const keysIn = (text: string): string[] => [...new Set(text.match(/\b[0-9a-f]{32}\b/g) ?? [])].slice(0, MOST);

/**
 * The keys of the user: a key gives access to the games started with it. New games use the first key; the others come
 * from other devices.
 */
const kept = new OnDevice<readonly string[]>("millbrain.keys", (text) => keysIn(text ?? ""));

/** Whether this device has played against people. */
export const hasKeys = (): boolean => kept.now.length > 0;

/** Returns the keys; creates one if there is none. */
export function keys(): readonly string[] {
  if (!hasKeys()) kept.add((before) => (before.length > 0 ? before : [newKey()]));
  return kept.now;
}

/** Adds the keys in a text; returns whether there were any. */
export function addKeys(text: string): boolean {
  const added = keysIn(text);
  kept.add((before) => [...new Set([...before, ...added])].slice(0, MOST));
  return added.length > 0;
}

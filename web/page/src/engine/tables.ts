import type { Ruleset } from "millbrain";

/** The beginning of a compact table. */
const MAGIC = "MILLTBLC";
/** Milliseconds for a host to answer. */
const PATIENCE = 2000;
/** Variants whose games are in the file of another one. */
const IN_FILE_OF: Readonly<Record<string, string>> = { muehle: "morris" };

/** Returns an address relative to the page; empty for one that is invalid. */
export function addressOf(text: string): string {
  try {
    return new URL(text, document.baseURI).href;
  } catch {
    return "";
  }
}

/** Returns the address of the table in the page's folder `tables`, if there is one; empty otherwise. */
export async function addressBeside({ variant, options = {} }: Ruleset): Promise<string> {
  if (Object.keys(options).length > 0) return "";
  const address = addressOf(`tables/${IN_FILE_OF[variant] ?? variant}.mbt`);
  return (await isTable(address)) ? address : "";
}

const asked = new Map<string, Promise<boolean>>();

/** Returns whether a host has a table at this address and sends parts of it; asks once. */
async function isTable(address: string): Promise<boolean> {
  let answer = asked.get(address);
  if (answer === undefined) {
    if (!navigator.onLine) return false;
    asked.set(address, (answer = ask(address)));
  }
  return answer;
}

async function ask(address: string): Promise<boolean> {
  const control = new AbortController();
  const watch = setTimeout(() => control.abort(), PATIENCE);
  try {
    const headers = { Range: `bytes=0-${MAGIC.length - 1}` };
    const answer = await fetch(address, { headers, cache: "no-store", signal: control.signal });
    return answer.status === 206 && (await answer.text()) === MAGIC;
  } catch {
    return false;
  } finally {
    clearTimeout(watch);
    // A whole file is not read to its end.
    control.abort();
  }
}

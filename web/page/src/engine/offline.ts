import type { OnDownload, Ruleset } from "millbrain";
import { browserThreads } from "./assets.js";
import { rules } from "./rules.js";

/** What there is to fetch: the rules, and whether their tables are wanted, which are larger than everything else. */
interface Wish {
  readonly played: Ruleset;
  readonly tables: boolean;
}

const done = new Set<string>();
let busy: Promise<void> | undefined;

/** Milliseconds that one waits for a service worker: somewhere its files come slowly, and everything works without. */
const PATIENCE = 5000;

let inPlace: Promise<unknown> = Promise.resolve();

/** Has the page kept for the time without a network. */
export function keepPage(): void {
  if (!("serviceWorker" in navigator)) return;
  // Without a service worker the page works all the same, only not offline.
  const registered = navigator.serviceWorker.register("sw.js").then(settled, () => {});
  inPlace = Promise.race([registered, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

/** When the first service worker of this page has done its work, or given up. */
function settled({ installing, active }: ServiceWorkerRegistration): Promise<void> | void {
  if (!installing || active) return;
  return new Promise((resolve) => {
    installing.addEventListener("statechange", () => {
      if (["activated", "redundant"].includes(installing.state)) resolve();
    });
  });
}

/** When what is fetched from now on comes from the service worker, if it has it. */
export async function pageKept(): Promise<void> {
  await inPlace;
}

/** When the page has nothing better to do. */
export const idle = () =>
  new Promise<void>((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(() => resolve()));

/** Somebody who pays for what is fetched gets what he plays, and no more. */
export const isSparing = () =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

async function fetchAll(wishes: readonly Wish[], onDownload: OnDownload): Promise<void> {
  // Without a service worker nothing of the page is there without a network either.
  await navigator.serviceWorker.ready;
  for (const wish of wishes) {
    const key = JSON.stringify(wish);
    if (done.has(key)) continue;
    await idle();
    await rules().keep(wish.played, { threads: browserThreads(), tables: wish.tables, onDownload });
    done.add(key);
  }
}

/**
 * Fetches what is missing for a time without a network: the tables of the game that is played, then what the other games
 * cannot do without. To be called when nothing is waited for. What fails is tried again at the next call.
 */
export function stockUp(played: Ruleset, onDownload: OnDownload): void {
  if (!("serviceWorker" in navigator) || isSparing()) return;
  const others = rules()
    .variants()
    .map(({ name }) => ({ played: { variant: name }, tables: false }));
  busy ??= fetchAll([{ played, tables: true }, ...others], onDownload)
    .catch(() => {})
    .finally(() => (busy = undefined));
}

import type { OnDownload, Ruleset } from "millbrain";
import { browserThreads } from "./assets.js";
import { rules } from "./rules.js";

/** Files to fetch: the rules, and whether to include their tables, which are larger than everything else. */
interface Wish {
  readonly played: Ruleset;
  readonly tables: boolean;
}

/** On a first visit no service worker has served the page. */
const isFirstVisit = globalThis.navigator?.serviceWorker?.controller == null;

const done = new Set<string>();
let busy: Promise<void> | undefined;

/** Milliseconds to wait for a service worker: on slow hosts the page starts without it. */
const PATIENCE = 5000;

let inPlace: Promise<unknown> = Promise.resolve();

/** Caches the page for use without a network. */
export function keepPage(): void {
  if (!("serviceWorker" in navigator)) return;
  // Without a service worker the page works, only not offline.
  const registered = navigator.serviceWorker.register("sw.js").then(settled, () => {});
  inPlace = Promise.race([registered, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

/** Waits until the first service worker of this page has finished or failed. */
function settled({ installing, active }: ServiceWorkerRegistration): Promise<void> | void {
  if (!installing || active) return;
  return new Promise((resolve) => {
    installing.addEventListener("statechange", () => {
      if (["activated", "redundant"].includes(installing.state)) resolve();
    });
  });
}

/** Waits until later requests use the service worker's cache. */
export async function pageKept(): Promise<void> {
  await inPlace;
}

/** Waits until the page is idle. */
export const idle = () =>
  new Promise<void>((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(() => resolve()));

/** With data saving enabled only the files of the current game are fetched. */
export const isSparing = () =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

async function fetchAll(wishes: readonly Wish[], onDownload: OnDownload): Promise<void> {
  // Without a service worker the page itself is not available offline.
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
 * Fetches missing files for use without a network: the necessary files of the current game; from the second visit on
 * its tables, too, then the necessary files of other games. Call it when nothing is waited for. Failures are retried at
 * the next call.
 */
export function stockUp(played: Ruleset, onDownload: OnDownload): void {
  if (!("serviceWorker" in navigator) || isSparing()) return;
  const others = rules()
    .variants()
    .map(({ name }) => ({ played: { variant: name }, tables: false }));
  const wishes = isFirstVisit ? [{ played, tables: false }] : [{ played, tables: true }, ...others];
  busy ??= fetchAll(wishes, onDownload)
    .catch(() => {})
    .finally(() => (busy = undefined));
}

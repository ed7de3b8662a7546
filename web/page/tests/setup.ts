import { resolve } from "node:path";
import { build } from "vite";

/** The tests in the browser are made with the page as it is built. */
export default async function setup(): Promise<void> {
  if (process.env["PAGE_BUILT"] !== undefined) return;
  await build({ root: resolve(import.meta.dirname, ".."), logLevel: "warn" });
}

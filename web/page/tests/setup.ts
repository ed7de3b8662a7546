import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

/** Builds the page for the browser tests. */
export default function setup(): void {
  if (process.env["PAGE_BUILT"] !== undefined) return;
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  // In a separate process: the test runner's environment would make it a development build.
  const env = { ...process.env, NODE_ENV: "production" };
  execFileSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
    cwd: resolve(import.meta.dirname, ".."),
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

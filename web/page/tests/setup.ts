import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

/** The tests in the browser are made with the page as it is built. */
export default function setup(): void {
  if (process.env["PAGE_BUILT"] !== undefined) return;
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  // In a process of its own: the test runner's environment would make it a build for development.
  const env = { ...process.env, NODE_ENV: "production" };
  execFileSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
    cwd: resolve(import.meta.dirname, ".."),
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

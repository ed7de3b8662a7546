import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const require = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright"));
const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(
    context: string | Document,
    options: { resultTypes: string[]; runOnly?: string[] },
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/**
 * Returns axe's complaints about the current page, a part of it, or by some rules only. Its own driver opens a window
 * for each run; this one runs in the current window.
 */
export async function complaints(
  page: Page,
  { part, rules }: { part?: string; rules?: string[] } = {},
): Promise<string[]> {
  // The server's policy would block a script of the page.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  return page.evaluate(
    async ([part, rules]) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const only = rules === undefined ? {} : { runOnly: rules };
      const { violations } = await axe.run(part ?? document, { resultTypes: ["violations"], ...only });
      return violations.map(
        ({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
      );
    },
    [part, rules] as const,
  );
}

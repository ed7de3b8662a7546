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
 * What axe has to complain of in the page as it is, in a part of it, or by some rules alone. Its own driver opens a window for
 * each question; here it is asked where it is.
 */
export async function complaints(
  page: Page,
  { part, rules }: { part?: string; rules?: string[] } = {},
): Promise<string[]> {
  // A script of the page would be refused by what the server allows.
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

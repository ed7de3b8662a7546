import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const require = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright"));
const source = require.resolve("axe-core/axe.min.js");

interface Axe {
  run(
    context: string | Document,
    options: { resultTypes: string[]; rules: Record<string, { enabled: boolean }> },
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/**
 * What axe has to complain of in the page as it is, or in a part of it. Its own driver opens a window for each question;
 * here it is asked where it is.
 */
export async function complaints(page: Page, part?: string): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.addScriptTag({ path: source });
  return page.evaluate(async (part) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    // Forced colours are the user's, and axe does not know them.
    const isForced = matchMedia("(forced-colors: active)").matches;
    const rules = { "color-contrast": { enabled: !isForced } };
    const { violations } = await axe.run(part ?? document, { resultTypes: ["violations"], rules });
    return violations.map(
      ({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
    );
  }, part);
}

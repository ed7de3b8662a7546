// Looks for barriers in pages of each kind, as axe knows them: light and dark, wide and narrow, opened from the folder.
// Usage: node axe.mjs SITE PAGE...
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../web/page/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const { AxeBuilder } = require("@axe-core/playwright");

const [site, ...pages] = process.argv.slice(2);
const programs = ["chromium-headless-shell", "chromium"].map((name) => `/usr/bin/${name}`);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? programs.find(existsSync),
  args: ["--no-sandbox"],
});
let faults = 0;
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 400]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.on("request", (request) => {
      if (!request.url().startsWith("file:") && !/^(data|blob):/.test(request.url())) complain("asks", request.url());
    });
    let name = "";
    const complain = (...words) => {
      faults += 1;
      console.error(`${name}, ${colorScheme}, ${width} wide:`, ...words);
    };
    for (name of pages) {
      await page.goto(pathToFileURL(resolve(site, name)).href);
      const { violations } = await new AxeBuilder({ page }).analyze();
      for (const { id, nodes } of violations) complain(id, nodes.length, nodes[0].html, nodes[0].failureSummary);
    }
    await context.close();
  }
}
await browser.close();
console.log(`${pages.length} pages in light and dark, wide and narrow: ${faults || "no"} faults`);
process.exit(faults ? 1 : 0);

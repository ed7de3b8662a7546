// Downloads of a first visit, by the files of the built page: limits in bytes, which do not depend on the machine.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rules } from "../src/engine/rules.js";
import { launch, quit, Visit } from "./browser.js";

const dist = resolve(import.meta.dirname, "../dist");
const packed = (name: string) => brotliCompressSync(readFileSync(join(dist, name))).length;

beforeAll(launch);
afterAll(quit);

/** Returns the requests of a first visit until the board is playable. */
async function asked(): Promise<string[]> {
  const visit = await Visit.open();
  const urls = await visit.page.evaluate(() => {
    const [playable] = performance.getEntriesByName("playable");
    const before = (entry: PerformanceEntry) => entry.startTime < playable!.startTime;
    return performance
      .getEntriesByType("resource")
      .filter(before)
      .map(({ name }) => name);
  });
  await visit.close();
  return ["index.html", ...urls.map((url) => url.slice(visit.served.url.length))].filter(
    (name) => !name.startsWith("api/"),
  );
}

const sum = (names: readonly string[]) => names.reduce((sum, name) => sum + packed(name), 0);

test("until the board can be played on, 300 KB are fetched at most: the page's own part and the rules", async () => {
  const names = await asked();
  expect(names.filter((name) => name.startsWith("engine/"))).toEqual(["engine/rules.wasm"]);
  // Views and languages are loaded on demand, and all required scripts are in one file.
  expect(names.filter((name) => /^assets\/.*\.js$/.test(name))).toEqual([expect.stringContaining("index")]);
  const own = sum(names.filter((name) => !name.startsWith("engine/")));
  expect(own).toBeGreaterThan(50_000);
  expect(own).toBeLessThan(125_000);
  expect(sum(names)).toBeLessThan(255_000);
});

test("a network is small enough for a first reply of 900 KB", () => {
  const networks = readdirSync(join(dist, "engine")).filter((name) => name.endsWith(".net"));
  expect(networks.length).toBeGreaterThan(2);
  // In addition to the page, the rules and the engine: some 510 KB.
  for (const name of networks) expect(packed(join("engine", name)), name).toBeLessThan(300_000);
});

test("each variant has a page of its own, with its title and description, that begins its game", async () => {
  const variants = rules()
    .variants()
    .map(({ name }) => name);
  const of = (pattern: RegExp) =>
    variants.map((name) => pattern.exec(readFileSync(join(dist, `${name}.html`), "utf8"))?.[1]);
  expect(new Set(of(/<title>(.+)<\/title>/)).size).toBe(variants.length);
  expect(new Set(of(/name="description" content="([^"]+)"/)).size).toBe(variants.length);
  const visit = await Visit.open({ hash: "mlyn.html" });
  await expect.poll(async () => (await visit.kept()).rules.variant).toBe("mlyn");
  expect(new URL(visit.page.url()).pathname).toBe("/some/where/");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("an alias has a page of its own: its name is shown, and games have that of the variant", async () => {
  const visit = await Visit.open({ hash: "twelve.html" });
  await expect.poll(async () => (await visit.kept()).rules.variant).toBe("morabaraba");
  await expect.poll(() => visit.page.title()).toBe("millbrain · Twelve Men's Morris");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

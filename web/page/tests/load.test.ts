// What a first visit fetches, by the files of the built page: limits in bytes, which no busy machine changes.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rules } from "../src/engine/rules.js";
import { launch, quit, Visit } from "./browser.js";
import { type Handler } from "./serve.js";

const dist = resolve(import.meta.dirname, "../dist");
const packed = (name: string) => brotliCompressSync(readFileSync(join(dist, name))).length;

beforeAll(launch);
afterAll(quit);

/** A visit, and what it asks for. */
async function asked(): Promise<{ visit: Visit; names: string[] }> {
  const names: string[] = [];
  const handler: Handler = async (_, __, path) => {
    names.push(path || "index.html");
    return false;
  };
  const visit = await Visit.open({ handler, context: { serviceWorkers: "block" } });
  return { visit, names };
}

test("until the board can be played on, the page itself is small, and one module comes with it", async () => {
  const { visit, names } = await asked();
  await visit.page.waitForLoadState("networkidle");
  await visit.close();
  const engine = names.filter((name) => name.startsWith("engine/"));
  expect(engine).toEqual(["engine/millbrain.wasm"]);
  const own = names.filter((name) => !name.startsWith("engine/") && !name.startsWith("api/"));
  // Scripts, styles and fonts; what is needed later comes later.
  expect(own.some((name) => name.includes("LearnPanel"))).toBe(false);
  const sum = own.reduce((sum, name) => sum + packed(name), 0);
  expect(sum).toBeGreaterThan(50_000);
  expect(sum).toBeLessThan(150_000);
});

test("a network is small enough for a first reply of 900 KB", () => {
  const networks = readdirSync(join(dist, "engine")).filter((name) => name.endsWith(".net"));
  expect(networks.length).toBeGreaterThan(2);
  // Beside the page and the module: some 500 KB.
  for (const name of networks) expect(packed(join("engine", name)), name).toBeLessThan(400_000);
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
  expect((await visit.kept()).rules.variant).toBe("mlyn");
  expect(new URL(visit.page.url()).pathname).toBe("/some/where/");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

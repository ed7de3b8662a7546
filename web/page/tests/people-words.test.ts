import { readFileSync } from "node:fs";
import { beforeAll, expect, test, vi } from "vitest";
import { loadLanguage } from "../src/i18n/index.svelte.js";
import { LANGS } from "../src/i18n/langs.js";
import { de } from "../src/texts/de/people.js";
import { en } from "../src/texts/en/people.js";
import { sk } from "../src/texts/sk/people.js";
import { clockWords, refusalText } from "../src/people/words.js";

vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["de"] }));

beforeAll(() => loadLanguage());

const DICTIONARIES: Record<(typeof LANGS)[number], Record<string, string>> = { en, de, sk };

test("all refusals that the server's manual lists have words in every language", () => {
  const manual = readFileSync(new URL("../../../docs/server.md", import.meta.url), "utf8");
  const table = manual.split("| code | what was wrong |")[1]?.split("\n\n")[0] ?? "";
  const codes = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code as string);
  expect(codes.length).toBeGreaterThan(15);
  for (const lang of LANGS) {
    const known = Object.keys(DICTIONARIES[lang]).filter((key) => key.startsWith("refused."));
    expect(known.sort(), lang).toEqual(codes.map((code) => `refused.${code}`).sort());
  }
});

test("a refusal is reported in the language of the page, a newer server's in its own words", () => {
  const refused = (code: string | undefined, error: string, values = {}) =>
    refusalText({ event: "refused", error, values, ...(code === undefined ? {} : { code }) });
  expect(refused("not-yours", "the other side is to move")).toBe("Du bist nicht am Zug.");
  expect(refused("tokens", "17 tokens", { n: 16 })).toContain("16 Schlüssel sind möglich");
  expect(refused("rain", "it rains")).toBe("it rains");
  expect(refused(undefined, "it rains")).toBe("it rains");
});

test("clocks are reported in minutes, and as the server has them where that does not go", () => {
  expect(clockWords("300+3")).toBe("5 min + 3 s pro Zug");
  expect(clockWords("60")).toBe("1 min");
  expect([clockWords("0.2"), clockWords("90"), clockWords("40/300")]).toEqual(["0.2", "90", "40/300"]);
  expect(clockWords(null)).toBe(de.correspondence);
});

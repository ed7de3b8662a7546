// Texts with a number have a form for each plural category of their language.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { de } from "../src/texts/de/page.js";
import { en } from "../src/texts/en/page.js";
import { fill } from "../src/i18n/fill.js";
import { type Lang, LANGS } from "../src/i18n/langs.js";
import { sk } from "../src/texts/sk/page.js";
import * as learnDe from "../src/texts/de/learn.js";
import * as learnEn from "../src/texts/en/learn.js";
import * as learnSk from "../src/texts/sk/learn.js";
import * as peopleDe from "../src/texts/de/people.js";
import * as peopleEn from "../src/texts/en/people.js";
import * as peopleSk from "../src/texts/sk/people.js";

/** Texts in which no word depends on the number: it is a name, has a unit, or is alone. */
const UNCOUNTED = new Set([
  ...["level.n", "clock.increment", "clock.plain", "seconds", "nodesPerSecond", "graphPoint"].map(
    (name) => `page: ${name}`,
  ),
  ...["followGame", "welcome.opponent", "wonIn", "lostIn", "capturedN", "onBoardN"].map(
    (name) => `page: ${name}`,
  ),
  ...["lessonsDone", "lessonN", "best", "solvedN", "rated"].map((name) => `learn: ${name}`),
]);

const CORE = new URL("../../../crates/core/src/texts/", import.meta.url);
const core = (lang: Lang) =>
  Object.fromEntries(
    readFileSync(new URL(`${lang}.txt`, CORE), "utf8")
      .split("\n")
      .filter((line) => !line.startsWith("#") && line.includes(" = "))
      .map((line) => line.split(" = ", 2) as [string, string]),
  );

/** Returns texts by their part of the program, with their names there. */
const inPart = (part: string) => (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([name, text]) => [`${part}: ${name}`, text] as const);
const texts = (lang: Lang): Record<string, string> => {
  const page = inPart("page")({ en, de, sk }[lang]);
  const learn = inPart("learn")({ en: learnEn.en, de: learnDe.de, sk: learnSk.sk }[lang]);
  const people = inPart("people")({ en: peopleEn.en, de: peopleDe.de, sk: peopleSk.sk }[lang]);
  return Object.fromEntries([...page, ...learn, ...people, ...inPart("core")(core(lang))]);
};

/** Returns integers of each plural category of a language. */
function kinds(lang: Lang): number[] {
  const rule = new Intl.PluralRules(lang);
  const numbers = Array.from({ length: 101 }, (_, n) => n);
  return [...new Map(numbers.map((n) => [rule.select(n), n])).values()];
}

for (const lang of LANGS) {
  const counted = Object.entries(texts(lang)).filter(
    ([key, text]) => /[{]n[}]|\|/.test(text) && !UNCOUNTED.has(key),
  );

  test(`${lang}: each kind of number has its form`, () => {
    expect(counted.length).toBeGreaterThan(15);
    for (const [key, text] of counted) {
      const forms = text.split("|");
      expect(forms.length, `${key}: ${text}`).toBe(kinds(lang).length);
      // Equal forms for one and for many: a forgotten word, or a text that counts nothing.
      expect(forms[0], key).not.toBe(forms.at(-1));
      expect(forms.at(-1), key).toContain("{n}");
    }
  });

  test(`${lang}: a text that counts nothing has one form`, () => {
    for (const key of UNCOUNTED) {
      expect(texts(lang)[key], key).toContain("{n}");
      expect(texts(lang)[key], key).not.toContain("|");
    }
  });
}

test("the form for a number is the one that its language wants", () => {
  expect([1, 2, 5].map((n) => fill(learnEn.en.winIn, { n }, "en"))).toEqual([
    "Solved! Won in 1 move.",
    "Solved! Won in 2 moves.",
    "Solved! Won in 5 moves.",
  ]);
  expect(kinds("en")).toHaveLength(2);
  expect(kinds("sk")).toHaveLength(3);
});

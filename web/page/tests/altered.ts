// The module of the rules as it would be if it spoke other words: what is decided by meaning stays as it is.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Rules } from "millbrain";

const TEXTS = new URL("../../../crates/core/src/texts/en.txt", import.meta.url);
const MODULE = new URL("../../engine/data/rules.wasm", import.meta.url);

/** The groups of texts that faults are made of. */
const GROUP = /^(fault|field|expected|ending|side)\./;

/** A text with other letters; its values and its forms stay. */
const altered = (text: string) => text.replace(/\{\w+\}|[a-zA-Z]/g, (part) => (part.length > 1 ? part : "x"));

/** The rules with every English text of faults and endings altered, and how many these are. */
export async function alteredRules(): Promise<{ rules: Rules; count: number }> {
  const bytes = readFileSync(MODULE);
  const lines = readFileSync(TEXTS, "utf8")
    .split("\n")
    .filter((line) => GROUP.test(line));
  for (const line of lines) {
    const at = bytes.indexOf(`\n${line}\n`);
    if (at < 0) throw new Error(`the module has no line ${line}`);
    const [name, text] = line.split(" = ", 2) as [string, string];
    bytes.write(`\n${name} = ${altered(text)}`, at);
  }
  const folder = mkdtempSync(join(tmpdir(), "altered-"));
  writeFileSync(join(folder, "rules.wasm"), bytes);
  const rules = await Rules.create({ assets: `${pathToFileURL(folder).href}/`, games: false });
  return { rules, count: lines.length };
}

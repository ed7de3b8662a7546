// Writes a digest of the files that browsers keep, so that a browser that has older ones fetches them anew.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

const data = new URL("../data/", import.meta.url);
const digest = createHash("sha256");
for (const name of readdirSync(data, { recursive: true, encoding: "utf8" }).sort()) {
  const file = new URL(name, data);
  if (statSync(file).isFile()) digest.update(name).update(readFileSync(file));
}
const text = `/** Of the files in data/. */\nexport const DIGEST = "${digest.digest("hex").slice(0, 12)}";\n`;
writeFileSync(new URL("../dist/digest.js", import.meta.url), text);

// Writes digests of the files that browsers keep: one of all, so that a browser that has older ones fetches them anew, and one
// of each with its length, so that it sees whether it has got what belongs to this version.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

/** Bytes of a digest that are written: enough to find accidents, and a multiple of three, which base64 does not pad. */
const DIGEST = 12;

const data = new URL("../data/", import.meta.url);
const all = createHash("sha256");
const files = {};
for (const path of readdirSync(data, { recursive: true, encoding: "utf8" }).sort()) {
  const file = new URL(path, data);
  if (!statSync(file).isFile()) continue;
  const [name, bytes] = [path.replaceAll("\\", "/"), readFileSync(file)];
  all.update(name).update(bytes);
  const digest = createHash("sha256").update(bytes).digest().subarray(0, DIGEST).toString("base64");
  files[name] = [bytes.length, digest];
}
const text = `/** Of the files in data/. */
export const DIGEST = "${all.digest("hex").slice(0, 12)}";
/** Length and digest of each of them. */
export const FILES = ${JSON.stringify(files)};
`;
writeFileSync(new URL("../dist/digest.js", import.meta.url), text);

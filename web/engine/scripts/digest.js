// Writes digests of the files that browsers cache: one of all files, so that older caches are replaced, and one per
// file with its length, so that a download can be checked.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { addressIn, APART } from "../dist/files/apart.js";

/** Bytes of each digest: enough to detect accidents, and a multiple of three, so that base64 has no padding. */
const DIGEST = 12;

const data = new URL("../data/", import.meta.url);
const packs = new URL("../../packs/", import.meta.url);
/** The files of the package, and those of `@millbrain/packs`, by their names. */
const listed = [
  ...readdirSync(data, { recursive: true, encoding: "utf8" })
    .map((path) => [path.replaceAll("\\", "/"), new URL(path, data)]),
  ...APART.map((name) => [name, new URL(addressIn(data, name, packs))]),
];
const all = createHash("sha256");
const files = {};
for (const [name, file] of listed.sort(([a], [b]) => (a < b ? -1 : 1))) {
  if (!statSync(file).isFile()) continue;
  const bytes = readFileSync(file);
  all.update(name).update(bytes);
  const digest = createHash("sha256").update(bytes).digest().subarray(0, DIGEST).toString("base64");
  files[name] = [bytes.length, digest];
}
const text = `/** Of the files in data/ and of @millbrain/packs. */
export const DIGEST = "${all.digest("hex").slice(0, 12)}";
/** Length and digest of each of them. */
export const FILES = ${JSON.stringify(files)};
`;
writeFileSync(new URL("../dist/files/digest.js", import.meta.url), text);

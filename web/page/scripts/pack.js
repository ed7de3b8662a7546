// Compresses a built page: adds NAME.br and NAME.gz to each file that they reduce by a tenth, for hosts that send them.
// Usage: pack.js [FOLDER]; the default is dist.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** Smaller files fit into one packet uncompressed. */
const LEAST = 1024;

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../dist"));
for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  const file = join(folder, name);
  if (!statSync(file).isFile() || /\.(br|gz)$/.test(name)) continue;
  const bytes = readFileSync(file);
  const packed = gzipSync(bytes, { level: 9 });
  if (bytes.length < LEAST || packed.length > 0.9 * bytes.length) continue;
  writeFileSync(`${file}.gz`, packed);
  // At maximum compression, which is slow but runs only once.
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
}

import { createHash } from "node:crypto";
import {
  cpSync,
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const data = resolve(import.meta.dirname, "../engine/data");
const output = resolve(import.meta.dirname, "dist");

// Old fonts, and letters that none of our languages has: fetched if ever a browser asks for them.
const isRare = (name: string) => /\.woff$|vietnamese/.test(name);

/** The engine's files beside the page, under `engine/`: served while developing, copied by the build. */
export function engineData(): Plugin {
  let isBuild = false;
  return {
    name: "engine-data",
    configResolved(config) {
      isBuild = config.command === "build";
    },
    configureServer(server) {
      server.middlewares.use("/engine", (request, response, next) => {
        const file = join(data, new URL(request.url ?? "/", "http://x").pathname);
        if (!file.startsWith(data) || !existsSync(file) || !statSync(file).isFile()) return next();
        if (file.endsWith(".wasm")) response.setHeader("Content-Type", "application/wasm");
        createReadStream(file).pipe(response);
      });
    },
    closeBundle() {
      if (!isBuild || !existsSync(output)) return;
      if (!existsSync(data)) throw new Error(`${data} is missing, expected the files of the engine package`);
      cpSync(data, join(output, "engine"), { recursive: true });
    },
  };
}

/**
 * Tells the service worker what belongs to the page. Its version is a digest of these files, so that a changed page is
 * fetched anew, and one that is the same is not.
 */
export function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    closeBundle() {
      if (!existsSync(join(output, "sw.js"))) return;
      const files = readdirSync(output, { recursive: true, encoding: "utf8" })
        .map((name) => name.replaceAll("\\", "/"))
        .filter(
          (name) =>
            statSync(join(output, name)).isFile() &&
            name !== "sw.js" &&
            !isRare(name) &&
            !name.startsWith("engine/"),
        )
        .sort();
      const digest = createHash("sha256");
      for (const name of files) digest.update(name).update(readFileSync(join(output, name)));
      const worker = readFileSync(join(output, "sw.js"), "utf8")
        .replace('"@VERSION@"', JSON.stringify(digest.digest("hex").slice(0, 12)))
        .replace('["@FILES@"]', JSON.stringify(["./", ...files]));
      writeFileSync(join(output, "sw.js"), worker);
    },
  };
}

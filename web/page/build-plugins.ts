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
import { Script } from "node:vm";
import type { Plugin } from "vite";

const data = resolve(import.meta.dirname, "../engine/data");

/** What the service worker does not fetch: itself, the engine's files, which the engine keeps, and fonts that no text needs. */
const isApart = (name: string) =>
  name === "sw.js" || name.startsWith("engine/") || /\.woff$|-vietnamese-/.test(name);

/** The engine's files beside the page, under `engine/`: served while developing, copied by the build. */
export function engineData(): Plugin {
  let output = "";
  return {
    name: "engine-data",
    configResolved({ command, root, build }) {
      if (command === "build") output = resolve(root, build.outDir);
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
      if (!existsSync(output)) return;
      if (!existsSync(data)) throw new Error(`${data} is missing, expected the files of the engine package`);
      cpSync(data, join(output, "engine"), { recursive: true });
    },
  };
}

/**
 * What core says of the games, as a table of names and texts a language. The sentences of the rules, which alone end with
 * a full stop, are left out: the engine tells those that hold.
 */
export function gameTexts(): Plugin {
  return {
    name: "game-texts",
    // Before those that make a file an address.
    enforce: "pre",
    load(id) {
      const [path = ""] = id.split("?");
      if (!/\/core\/src\/texts\/\w+\.txt$/.test(path)) return;
      const lines = readFileSync(path, "utf8").split("\n");
      const texts = lines.filter(
        (line) => !line.startsWith("#") && !line.endsWith(".") && line.includes(" = "),
      );
      const table = Object.fromEntries(texts.map((line) => line.split(" = ", 2)));
      // Otherwise its name would make it a text.
      return { code: `export default ${JSON.stringify(table)}`, moduleType: "js" };
    },
  };
}

/**
 * Tells the service worker what belongs to the page. Its version is a digest of these files, so that a changed page is
 * fetched anew, and one that is the same is not.
 */
export function offline(): Plugin {
  let output = "";
  return {
    name: "offline",
    apply: "build",
    configResolved({ root, build }) {
      output = resolve(root, build.outDir);
    },
    closeBundle() {
      if (!existsSync(join(output, "sw.js"))) return;
      const files = readdirSync(output, { recursive: true, encoding: "utf8" })
        .map((name) => name.replaceAll("\\", "/"))
        .filter((name) => statSync(join(output, name)).isFile() && !isApart(name))
        .sort();
      const sha = (name: string) => createHash("sha256").update(readFileSync(join(output, name)));
      // A page is asked for by its folder.
      const listed = files.map((name) => [
        name === "index.html" ? "./" : name,
        `sha256-${sha(name).digest("base64")}`,
      ]);
      const version = createHash("sha256").update(JSON.stringify(listed)).digest("hex").slice(0, 12);
      const worker = readFileSync(join(output, "sw.js"), "utf8")
        .replace('"@VERSION@"', JSON.stringify(version))
        .replace('["@FILES@"]', JSON.stringify(listed));
      writeFileSync(join(output, "sw.js"), worker);
    },
  };
}

/**
 * Makes the page's script one that is no module, and has styles asked for without an origin. The service worker then finds
 * both among what the browser has just fetched: a host may say that its answers vary with the origin, and a service worker
 * sends none.
 */
export function plainScript(): Plugin {
  return {
    name: "plain-script",
    apply: "build",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk" || !chunk.isEntry) continue;
        const body = chunk.code.replaceAll("import.meta.url", "scriptUrl");
        chunk.code = `(()=>{"use strict";const scriptUrl=document.currentScript.src;${body}\n})();\n`;
        // Says so if it has an import or export after all.
        new Script(chunk.code, { filename: chunk.fileName });
      }
    },
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html
          .replaceAll('<script type="module" crossorigin', "<script defer")
          .replaceAll('<link rel="stylesheet" crossorigin', '<link rel="stylesheet"'),
    },
  };
}

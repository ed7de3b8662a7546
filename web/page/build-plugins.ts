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
import { basename, join, resolve } from "node:path";
import { Script } from "node:vm";
import { type ESTree, parseAst, type Plugin } from "vite";

const data = resolve(import.meta.dirname, "../engine/data");
const packs = resolve(import.meta.dirname, "../packs");
/** The files in that folder. */
const LARGE = /\.(pack|wdl)$/;

/**
 * Whether the service worker leaves out a file at first: itself, the engine's files, which the engine caches, puzzles,
 * which are optional, fonts that no text needs, licences, and the static host's substitute for a server.
 */
const isApart = (name: string) =>
  ["sw.js", "licenses.txt"].includes(name) ||
  /^(api|engine|assets\/puzzles)\//.test(name) ||
  /\.woff$|-vietnamese-/.test(name);

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
        const { pathname } = new URL(request.url ?? "/", "http://x");
        const files = [join(data, pathname), join(packs, pathname.replace("/packs/", "/"))];
        const isServed = (path: string) => path.startsWith(data) || LARGE.test(path);
        const file = files.find((path) => isServed(path) && existsSync(path) && statSync(path).isFile());
        if (file === undefined) return next();
        if (file.endsWith(".wasm")) response.setHeader("Content-Type", "application/wasm");
        createReadStream(file).pipe(response);
      });
    },
    closeBundle() {
      if (!existsSync(output)) return;
      if (!existsSync(data)) throw new Error(`${data} is missing, expected the files of the engine package`);
      cpSync(data, join(output, "engine"), { recursive: true });
      for (const name of readdirSync(packs, { recursive: true, encoding: "utf8" })) {
        if (!LARGE.test(name)) continue;
        cpSync(join(packs, name), join(output, "engine", name.endsWith(".pack") ? "packs" : "", name));
      }
    },
  };
}

/**
 * Converts core's texts about the games to one table of names and texts per language. The sentences of the rules are
 * left out, which end with a full stop like facts: the engine returns those that apply.
 */
export function gameTexts(): Plugin {
  return {
    name: "game-texts",
    // Before the plugins that turn a file into an address.
    enforce: "pre",
    load(id) {
      const [path = ""] = id.split("?");
      if (!/\/core\/src\/texts\/\w+\.txt$/.test(path)) return;
      const lines = readFileSync(path, "utf8").split("\n");
      const texts = lines.filter(
        (line) => /^[^#].* = /.test(line) && (!line.endsWith(".") || line.startsWith("fact.")),
      );
      const table = Object.fromEntries(texts.map((line) => line.split(" = ", 2)));
      // Otherwise its file name would make it a text.
      return { code: `export default ${JSON.stringify(table)}`, moduleType: "js" };
    },
  };
}

const texts = resolve(import.meta.dirname, "../../crates/core/src/texts/en.txt");

/** Builds a page for each variant, `morris.html` and so on: the page itself with its own title and description. */
export function variantPages(): Plugin {
  let output = "";
  return {
    name: "variant-pages",
    apply: "build",
    configResolved({ root, build }) {
      output = resolve(root, build.outDir);
    },
    closeBundle() {
      if (!existsSync(join(output, "index.html"))) return;
      const page = readFileSync(join(output, "index.html"), "utf8");
      const table = new Map(
        readFileSync(texts, "utf8")
          .split("\n")
          .map((line) => line.split(" = ", 2) as [string, string]),
      );
      for (const [key, name] of table) {
        const variant = /^variant\.(\w+)$/.exec(key)?.[1];
        if (variant === undefined) continue;
        const about = table.get(`about.${variant}`);
        const own = page
          .replace(/<title>.*<\/title>/, `<title>${name} · millbrain</title>`)
          .replace(
            /(<meta name="description" content=")[^"]*/,
            (_, start: string) =>
              `${start}${name}${about ? `: ${about}` : ""}. Play, analyse, keep your games.`,
          );
        writeFileSync(join(output, `${variant}.html`), own);
      }
    },
  };
}

/**
 * Gives the service worker the list of the page's files. Its version is a digest of these files, so that a changed page
 * is fetched again, and an unchanged one is not.
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
      // The page is requested by its folder.
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

type Edit = readonly [where: { start: number; end: number }, text: string];

const nameOf = (name: ESTree.ModuleExportName) => (name.type === "Literal" ? name.value : name.name);

/** Returns exports as properties that always have the current value. */
function shared({ specifiers }: ESTree.ExportNamedDeclaration): string {
  const getters = specifiers.map(
    ({ local, exported }) => `get ${nameOf(exported)}(){return ${nameOf(local)}}`,
  );
  return `globalThis.pageParts={${getters}};`;
}

/** Returns imports as constants with these properties. */
function taken({ specifiers }: ESTree.ImportDeclaration): string {
  const names = specifiers.map((specifier) => {
    if (specifier.type !== "ImportSpecifier") throw new Error("expected imports by name");
    return `${nameOf(specifier.imported)}:${specifier.local.name}`;
  });
  return `const{${names}}=globalThis.pageParts;`;
}

/**
 * Turns the page's script into a classic script, and requests styles without an origin. The service worker then finds
 * both in the browser's cache: a host's answers may vary with the origin, and a service worker sends none. Later parts
 * of the page are modules. They access the page's script through `pageParts`, since a script has no exports.
 */
export function plainScript(): Plugin {
  return {
    name: "plain-script",
    apply: "build",
    generateBundle: {
      // After Vite's additions for styles of parts that are fetched later.
      order: "post",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((chunk) => chunk.type === "chunk");
        const entry = chunks.find((chunk) => chunk.isEntry);
        if (entry === undefined) return;
        for (const chunk of chunks) {
          const { body } = parseAst(chunk.code);
          const edits = body.flatMap((node): Edit[] => {
            if (chunk === entry && node.type === "ExportNamedDeclaration") return [[node, shared(node)]];
            const isOfEntry =
              node.type === "ImportDeclaration" && basename(node.source.value) === basename(entry.fileName);
            return isOfEntry ? [[node, taken(node)]] : [];
          });
          for (const [{ start, end }, text] of edits.reverse())
            chunk.code = chunk.code.slice(0, start) + text + chunk.code.slice(end);
        }
        const code = entry.code.replaceAll("import.meta", "scriptMeta");
        entry.code = `(()=>{"use strict";const scriptMeta={url:document.currentScript.src};${code}\n})();\n`;
        // Throws if an import or export is left.
        new Script(entry.code, { filename: entry.fileName });
      },
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

// A missing or damaged file is named with its address.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { AssetError, Engine, EngineGone, Rules } from "millbrain";

let folder;
let address;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "millbrain-"));
  address = (name) => pathToFileURL(join(folder, name)).href;
});
after(() => rm(folder, { recursive: true }));

const assets = () => `${address("")}/`.replace(/\/+$/, "/");
const restore = () => cp(new URL("../data/", import.meta.url), folder, { recursive: true });

test("the modules: missing, no module, cut off", async () => {
  const refused = async (isDamaged) => {
    const where = { name: "AssetError", file: "rules.wasm", url: address("rules.wasm"), isDamaged };
    await assert.rejects(Rules.create({ assets: assets(), games: false }), where);
    const gone = await Engine.create({ assets: assets() }).catch((error) => error);
    assert(gone instanceof EngineGone);
    assert(gone.message.includes(address("millbrain.wasm")), gone.message);
  };
  await refused(false);
  const spoil = (bytes) => Promise.all(["rules", "millbrain"].map((name) => writeFile(join(folder, `${name}.wasm`), bytes)));
  await spoil("<!doctype html>");
  await refused(true);
  await spoil(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1));
  await refused(true);
  // Once the file exists, the same address works.
  await restore();
  const rules = await Rules.create({ assets: assets(), games: false });
  assert(rules.variants().length > 0);
  // The module for games may be loaded later.
  assert.throws(() => rules.readGames("d6", { variant: "morris" }), { name: "EngineError", message: /loadGames/ });
  await rm(join(folder, "games.wasm"));
  const where = { name: "AssetError", file: "games.wasm", url: address("games.wasm"), isDamaged: false };
  await assert.rejects(rules.loadGames(), where);
  await restore();
  await rules.loadGames();
  assert.equal(rules.readGames("d6", { variant: "morris" }).games.length, 1);
});

test("a network or a table: the engine plays without, and says which and where", async () => {
  await restore();
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".net"));
  assert(names.length > 2);
  for (const [name, spoil, words] of [
    ["morris.net", (path) => rm(path), `morris.net is not at ${address("morris.net")} (ENOENT)`],
    ["smess.net", (path) => writeFile(path, "no network"), `smess.net at ${address("smess.net")} is damaged (`],
  ]) {
    await spoil(join(folder, name));
    const notes = [];
    const engine = await Engine.create({ assets: assets(), onNote: (note, message) => notes.push([note, message]) });
    const { move } = await engine.bestMove({ variant: name.replace(".net", "") }, {}, { nodes: 100 });
    assert.notEqual(move, null);
    const found = notes.find(([note]) => note.startsWith(`${name} cannot be loaded (${words}`));
    const [, message] = found ?? assert.fail(notes.join("\n"));
    const { file, why } = message.values;
    const id = name === "morris.net" ? "engine.file" : "engine.damaged";
    assert.deepEqual([message.id, file, why.id, why.values.file], ["engine.without", name, id, name]);
    engine.close();
  }
});

test("the words of the error say what is wrong", () => {
  const error = new AssetError("https://host/a/x.net", false, "404 Not Found");
  assert.equal(error.message, "x.net is not at https://host/a/x.net (404 Not Found)");
});

test("the largest files are a package of their own, unless a folder has all files", async () => {
  const { addressOf, assets } = await import("../dist/host-node.js");
  for (const name of ["packs/mlyn.pack", "packs/morabaraba.pack", "merels/17.wdl"]) {
    const { size } = statSync(new URL(addressOf(name, assets)));
    assert(size > 2_000_000);
    assert.equal(addressOf(name, "https://x/engine/"), `https://x/engine/${name}`);
  }
  assert.equal(addressOf("packs/morris.pack", assets), new URL("packs/morris.pack", assets).href);
});

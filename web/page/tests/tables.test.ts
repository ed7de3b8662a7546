import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";
import type { Handler } from "./serve.js";

beforeAll(launch);
afterAll(quit);

/** The native program, which makes the table; scripts/web names it. */
const program = process.env["MILLBRAIN"];

/** Makes a table of a small game: three stones each. */
function made(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "millbrain-"));
  const file = join(folder, "small.mbt");
  const run = (...words: string[]) =>
    execFileSync(program as string, ["tablebase", ...words], { stdio: "ignore" });
  try {
    run("build", "--rules", "Stones=3", "--sectors", "game", "--results", "--out", folder);
    run("compact", "--from", folder, "--out", file);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.skipIf(program === undefined)("exact values come from a file on the static host", async () => {
  const file = made();
  const asked: string[] = [];
  let isDamaged = true;
  const handler: Handler = (request, response, path) => {
    if (path === "engine/merels/17.wdl" && isDamaged) {
      response.end("nothing");
      return true;
    }
    if (!/^tables\/(mylos|small).mbt$/.test(path)) return false;
    const range = request.headers.range ?? "";
    asked.push(`${path} ${range}`);
    const [from = 0, to = 0] = range.slice("bytes=".length).split("-").map(Number);
    const part = file.subarray(from, to + 1);
    const headers = {
      ETag: '"1"',
      "Content-Range": `bytes ${from}-${from + part.length - 1}/${file.length}`,
    };
    response.writeHead(206, headers).end(part);
    return true;
  };
  const visit = await Visit.open({ handler, hash: "#v=mylos", settings: { tables: true, review: true } });
  const { page } = visit;
  // The file beside the page is found, and refused: it is of other rules.
  await show(page, "analysis");
  const none = page.locator("[data-openings] > p").last();
  await expect.poll(() => none.innerText()).toContain("mylos.mbt is not in use: ");
  await expect.poll(() => asked).toEqual(["tables/mylos.mbt bytes=0-7", "tables/mylos.mbt bytes=0-65535"]);
  await show(page, "settings");
  await page.getByText("mylos.mbt is not in use: ").waitFor();
  const table = page.locator("[data-table]");
  const choose = async (address: string) => {
    await table.fill(address);
    await table.blur();
  };
  await page.evaluate(() => (location.hash = "#v=morris&o=Stones=3&m=d2,a1"));
  await show(page, "settings");
  await choose("tables/none.mbt");
  await page.getByText(/^none\.mbt is not in use: .*404/).waitFor();
  await choose("tables/small.mbt");
  await show(page, "analysis");
  const values = page.locator("[data-openings] [data-move] td:nth-child(2)");
  await expect.poll(() => values.allInnerTexts()).toContain("lost");
  // The rows are in the order of the values, which have no distances.
  expect([...new Set(await values.allInnerTexts())]).toEqual(["won", "drawn", "lost"]);
  await expect.poll(() => page.locator("g.badge").allTextContents()).toContain("−");
  // A review by the table is exact: the move to d7 turns a win into a loss, and the game is not worse afterwards.
  await show(page, "game");
  await visit.play("d7");
  await visit.play("a7");
  await visit.tool("Resign");
  await expect
    .poll(async () => (await visit.kept()).tree.nodes.map(({ loss }) => loss).slice(3))
    .toEqual([1, 0]);
  await show(page, "settings");
  await page.getByText(/^small\.mbt is in use: \d+ requests?, \d+ KB$/).waitFor();
  // A file of the page that cannot be had is not a position that is in no table; it may come later.
  await choose("");
  await page.evaluate(() => (location.hash = "#v=seven"));
  await show(page, "analysis");
  await expect
    .poll(() => none.innerText())
    .toMatch(/^Tables for Seven Men's Morris are missing on this device\. 17\.wdl/);
  isDamaged = false;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await expect.poll(() => values.allInnerTexts()).toContain("drawn");
  await page.evaluate(() => (location.hash = "#v=morris"));
  await show(page, "analysis");
  await page.getByText("This position is not in the tables.").waitFor();
  expect(visit.errors).toEqual([]);
  await visit.close();
});

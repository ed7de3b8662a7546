import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Rules } from "millbrain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, playWhole, quit, Visit } from "./browser.js";
import type { Served } from "./serve.js";

/** The native program with its server; scripts/web names it. */
const program = process.env["MILLBRAIN"];
const canServe =
  program !== undefined && execFileSync(program, ["-h"], { encoding: "utf8" }).includes("serve");

let folder = "";
let server: ChildProcess | undefined;
let served: Served;

beforeAll(async () => {
  await launch();
  if (!canServe) return;
  folder = mkdtempSync(join(tmpdir(), "millbrain-"));
  const page = resolve(import.meta.dirname, "../dist");
  const started = spawn(
    program,
    ["serve", "--address", "127.0.0.1:0", "--page", page, "--archive", join(folder, "games.sqlite")],
    { stdio: ["ignore", "inherit", "pipe"] },
  );
  server = started;
  const url = await new Promise<string>((found, failed) => {
    let told = "";
    started.stderr.on("data", (text: Buffer) => {
      told += String(text);
      const address = /serving on (http:\S+)\n/.exec(told)?.[1];
      if (address !== undefined) found(`${address}/`);
    });
    started.on("close", (code) => failed(new Error(`the server has ended with status ${code}`)));
  });
  served = { url, close: () => {} } as Served;
});
afterAll(async () => {
  await quit();
  server?.kill();
  if (folder !== "") rmSync(folder, { recursive: true });
});

const variants = (await Rules.create()).variants().map(({ name }) => name);
for (const variant of variants) {
  test.skipIf(!canServe)(`a whole game of ${variant} against the engine of the server`, async () => {
    const visit = await Visit.open({ served, settings: { engine: "server" }, levels: { black: 2 } });
    const { page } = visit;
    let searches = 0;
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        if (String(payload).startsWith("go ")) searches++;
      }),
    );
    await page.reload();
    await visit.ready();
    const played = await playWhole(visit, variant);
    expect(searches).toBeGreaterThanOrEqual(Math.floor(played / 2));
    // The archive takes the game, and gives it back.
    const moves = await visit.moves();
    await page.click("#tab-archive");
    await page.getByRole("button", { name: "Save to the archive" }).click();
    await expect.poll(() => page.locator("[data-archive] li").count()).toBe(variants.indexOf(variant) + 1);
    await page.click("[data-new]");
    await page.click("[data-start]");
    await expect.poll(() => visit.moves()).toEqual([]);
    await page.click("#tab-archive");
    await page.locator("[data-archive] .open").first().click();
    await expect.poll(() => visit.moves()).toEqual(moves);
    expect(visit.errors).toEqual([]);
    await visit.context.close();
  });
}

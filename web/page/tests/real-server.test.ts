import { Rules } from "millbrain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, playWhole, quit, show, Visit } from "./browser.js";
import { canServe, NativeServer } from "./native.js";
import type { Served } from "./serve.js";

let server: NativeServer | undefined;
let served: Served;

beforeAll(async () => {
  await launch();
  if (!canServe) return;
  server = new NativeServer();
  served = { url: `http://${await server.start()}/`, close: () => {} } as Served;
});
afterAll(async () => {
  await quit();
  await server?.remove();
});

// One variant of each family: the page plays all of them without a server.
const all = (await Rules.create()).variants();
const variants = [...new Map(all.toReversed().map(({ family, name }) => [family, name])).values()];
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
    // The archive saves the game, and opens it again.
    const moves = await visit.moves();
    await show(page, "archive");
    await page.getByRole("button", { name: "Save to the archive" }).click();
    await expect.poll(() => page.locator("[data-archive] li").count()).toBe(variants.indexOf(variant) + 1);
    await page.click("[data-new]");
    await page.click("[data-start]");
    await expect.poll(() => visit.moves()).toEqual([]);
    await show(page, "archive");
    await page.locator("[data-archive] .open").first().click();
    await expect.poll(() => visit.moves()).toEqual(moves);
    expect(visit.errors).toEqual([]);
    await visit.context.close();
  });
}

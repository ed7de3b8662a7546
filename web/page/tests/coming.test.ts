// Progress of the engine's downloads is shown where the user waits, and an interrupted download resumes.
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, Visit } from "./browser.js";
import type { Handler } from "./serve.js";

beforeAll(launch);
afterAll(quit);

/**
 * Sends a file up to a point and then nothing, until it ends the connection on request; the rest follows on the next
 * request.
 */
class Slow {
  /** Offsets of the requests. */
  readonly resumedAt: number[] = [];
  readonly bytes: Buffer;
  #open: ServerResponse | undefined;

  constructor(
    readonly path: string,
    readonly until: number,
  ) {
    this.bytes = readFileSync(resolve(import.meta.dirname, "../dist", path));
  }

  readonly handler: Handler = (request, response, path) => {
    if (path !== this.path) return false;
    const { length } = this.bytes;
    const at = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (at > 0) {
      this.resumedAt.push(at);
      const range = { "Content-Range": `bytes ${at}-${length - 1}/${length}` };
      response.writeHead(206, range).end(this.bytes.subarray(at));
      return true;
    }
    this.#open = response;
    response.writeHead(200, { "Content-Length": length });
    response.write(this.bytes.subarray(0, this.until));
    return true;
  };

  cut(): void {
    this.#open?.socket?.end();
  }
}

for (const [lang, ofEngine, ofPack] of [
  ["en", "Loading the engine: 0.2 of SIZE MB", "Loading strategy: 0.9 of SIZE MB"],
  ["de", "Engine wird geladen: 0,2 von SIZE MB", "Strategie wird geladen: 0,9 von SIZE MB"],
  ["sk", "Načítava sa program: 0,2 z SIZE MB", "Načítava sa stratégia: 0,9 z SIZE MB"],
] as const) {
  test(`how much is there of a network that a reply waits for, and of a strategy, ${lang}`, async () => {
    const network = new Slow("engine/morris.net", 200_000);
    const pack = new Slow("engine/packs/morris.pack", 900_000);
    const reported = (text: string, { bytes }: Slow) =>
      text.replace(
        "SIZE",
        new Intl.NumberFormat(lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(
          bytes.length / 1e6,
        ),
      );
    const handler: Handler = (...request) => network.handler(...request) || pack.handler(...request);
    const visit = await Visit.open({ handler, settings: { lang }, levels: { black: 20 }, time: 100 });
    const { page } = visit;
    await visit.play("d6");
    const coming = page.locator("[data-coming]");
    await expect.poll(() => coming.allInnerTexts()).toEqual([reported(ofEngine, network)]);
    network.cut();
    await visit.reached(2);
    expect(network.resumedAt).toEqual([expect.closeTo(200_000, -5)]);
    await expect.poll(() => coming.count()).toBe(0);
    // The strategy arrives after the first search.
    await page.click("[data-new]");
    await expect
      .poll(() => page.locator("dialog [data-pack] + [data-coming]").allInnerTexts())
      .toEqual([reported(ofPack, pack)]);
    pack.cut();
    await expect.poll(() => coming.count()).toBe(0);
    expect(pack.resumedAt).toEqual([expect.closeTo(900_000, -5)]);
    expect(visit.errors.filter((error) => !error.includes("ERR_CONTENT_LENGTH_MISMATCH"))).toEqual([]);
    await visit.close();
  });
}

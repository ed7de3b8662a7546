// How far files of the engine have come is shown where one waits for them, and a file that was cut goes on.
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, Visit } from "./browser.js";
import type { Handler } from "./serve.js";

beforeAll(launch);
afterAll(quit);

/** Sends a file up to a point and then nothing, until it is told to end the connection; the rest comes when it is asked for. */
class Slow {
  /** Bytes that were there already when it was asked for. */
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

for (const [lang, words] of [
  ["en", "Loading the engine: 0.2 of 0.3 MB"],
  ["de", "Engine wird geladen: 0,2 von 0,3 MB"],
  ["sk", "Načítava sa program: 0,2 z 0,3 MB"],
] as const) {
  test(`a reply that waits for the network says how much of it is there, ${lang}`, async () => {
    const slow = new Slow("engine/morris.net", 200_000);
    const visit = await Visit.open({ handler: slow.handler, settings: { lang }, levels: { black: 3 } });
    const coming = visit.page.locator(".status [data-coming]");
    await visit.play("d6");
    await expect.poll(() => coming.allInnerTexts()).toEqual([words]);
    slow.cut();
    await visit.reached(2);
    expect(slow.resumedAt).toEqual([expect.closeTo(200_000, -5)]);
    await expect.poll(() => coming.count()).toBe(0);
    expect(visit.errors.filter((error) => !error.includes("ERR_CONTENT_LENGTH_MISMATCH"))).toEqual([]);
    await visit.close();
  });
}

for (const [lang, words] of [
  ["en", "Loading it: 0.9 of 1.4 MB"],
  ["de", "Sie wird geladen: 0,9 von 1,4 MB"],
  ["sk", "Načítava sa: 0,9 z 1,4 MB"],
] as const) {
  test(`the strategy of the strongest level says how much of it is there, ${lang}`, async () => {
    const slow = new Slow("engine/packs/morris.pack", 900_000);
    const visit = await Visit.open({
      handler: slow.handler,
      settings: { lang },
      levels: { black: 20 },
      time: 100,
    });
    await visit.play("d6");
    await visit.reached(2);
    await visit.page.click("[data-new]");
    const coming = visit.page.locator("dialog [data-coming]");
    await expect.poll(() => coming.allInnerTexts()).toEqual([words]);
    await expect.poll(() => visit.page.locator("dialog [data-pack]").count()).toBe(1);
    slow.cut();
    await expect.poll(() => coming.count()).toBe(0);
    expect(slow.resumedAt).toEqual([expect.closeTo(900_000, -5)]);
    await visit.close();
  });
}

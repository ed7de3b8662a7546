import type { Worker } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

/** Ways in which a worker ends, run within it. */
const ENDS = {
  vanishes: () => self.close(),
  hangs: () => {
    setTimeout(() => {
      for (;;);
    });
  },
  fails: () => {
    setTimeout(() => {
      throw new Error("no memory");
    });
  },
};

/** Opens a game with a thinking computer and a controllable clock; returns it with the worker. */
async function thinking(): Promise<{ visit: Visit; worker: Worker }> {
  const visit = await Visit.open({ levels: { black: 20 }, time: 5000 });
  const { page } = visit;
  await page.clock.install();
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    const page = window as { hasBegun?: boolean; isShort?: boolean; said?: string };
    // All that screen readers hear: a reply may soon follow a report.
    new MutationObserver(() => {
      page.said = `${page.said ?? ""} ${document.querySelector("[data-live]")?.textContent}`;
    }).observe(document, { subtree: true, childList: true, characterData: true });
    // A search lasts until its worker ends, however busy the machine is.
    Worker.prototype.postMessage = function (message: unknown) {
      const isSearch = String(message).startsWith("go ");
      post.call(this, isSearch ? (page.isShort ? "go movetime 100" : "go infinite") : message);
      page.hasBegun ||= isSearch;
    };
  });
  // The engine is started as soon as the board is shown.
  const started = page.waitForEvent("worker");
  await page.reload();
  await visit.ready();
  await visit.play("d6");
  await page.waitForFunction(() => (window as { hasBegun?: boolean }).hasBegun);
  return { visit, worker: await started };
}

/** Makes all further searches short. */
const shorten = ({ page }: Visit) =>
  page.evaluate(() => {
    (window as { isShort?: boolean }).isShort = true;
  });

/** Advances the clock by seconds until there is a message, and gives workers time to answer each time. */
async function waitForToast({ page }: Visit): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if ((await page.locator(".toast").count()) > 0) return;
    await page.clock.fastForward(1000);
    await page.waitForTimeout(20);
  }
  throw new Error("nobody has missed the worker");
}

for (const [what, end] of Object.entries(ENDS)) {
  test(`a worker that ${what} in the middle of a search is replaced, and the game goes on`, async () => {
    const { visit, worker } = await thinking();
    const { page } = visit;
    const text = "The engine stopped and has been restarted.";
    await shorten(visit);
    await worker.evaluate(end);
    await waitForToast(visit);
    await expect.poll(() => page.locator(".toast").innerText()).toBe(text);
    await expect.poll(() => page.evaluate(() => (window as { said?: string }).said)).toContain(text);
    await visit.reached(2);
    await expect.poll(() => page.workers()).not.toContain(worker);
    await visit.play((await visit.state()).moves[0]!.text);
    await visit.reached(4);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
}

test("an engine that dies again and again is given up, and asked again when the player wants it", async () => {
  const { visit, worker } = await thinking();
  const { page } = visit;
  let workers = 1;
  const kill = (worker: Worker) => {
    workers++;
    worker.evaluate(ENDS.fails).catch(() => {});
  };
  page.on("worker", kill);
  await worker.evaluate(ENDS.fails);
  await page.getByText("Something went wrong: ").waitFor();
  await expect.poll(() => visit.status()).toContain("Paused");
  expect(workers).toBe(4);
  page.off("worker", kill);
  await shorten(visit);
  await page.getByRole("button", { name: "Resume" }).first().click();
  await visit.reached(2);
  await visit.close();
});

test("an analysis goes on with another worker", async () => {
  const visit = await Visit.open({ settings: { analyse: true, lines: 1 } });
  const { page } = visit;
  await show(page, "analysis");
  // The list of moves asks the tables first, and the analysis begins again.
  await page.getByText("This position is not in the tables.").waitFor();
  await page.waitForSelector("[data-lines] li");
  const [worker] = page.workers();
  await worker?.evaluate(ENDS.fails);
  await page.waitForSelector(".toast");
  await expect.poll(() => page.workers()).not.toContain(worker);
  await expect.poll(() => page.workers().length).toBe(1);
  // What the first worker has found may still be shown.
  const speed = page.locator("[data-speed]");
  const shown = await speed.innerText();
  await expect.poll(() => speed.innerText()).not.toBe(shown);
  const depth = async () => Number(/Depth (\d+)/.exec(await speed.innerText())?.[1]);
  await expect.poll(depth).toBeGreaterThan(3);
  await visit.close();
});

import { Rules } from "millbrain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, playWhole, quit, show, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

for (const { name: variant } of (await Rules.create()).variants()) {
  test(`a whole game of ${variant} against a weak computer`, async () => {
    const visit = await Visit.open({ levels: { black: 2 } });
    const { page } = visit;
    await playWhole(visit, variant);
    const { ending } = await visit.state();
    const title = ending?.winner === null ? "Draw" : ending?.winner === "white" ? "You won" : "You lost";
    await expect.poll(() => visit.status()).toContain(title);
    await expect.poll(() => page.locator("[data-live]").innerText()).toContain(title);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
}

test("a mill asks for a stone, and can be called off", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=a7,d2,d7,d1" });
  const { page } = visit;
  const before = await visit.moves();
  const open = async () => {
    await visit.point("g7").click();
    await expect.poll(() => visit.status()).toContain("Mill! Take a stone");
    await expect.poll(() => page.locator(".removal").count()).toBe(2);
  };
  await open();
  await page.keyboard.press("Escape");
  await expect.poll(() => visit.status()).toContain("White to move");
  await open();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => page.locator(".removal").count()).toBe(0);
  await open();
  // A mistaken click cancels nothing, and shows what is due.
  for (const [slip, reported] of [
    ["b4", "Take a marked stone first"],
    ["a7", "Take a marked stone first"],
  ] as const) {
    await visit.point(slip).click();
    await expect.poll(() => visit.status()).toContain(reported);
    await expect.poll(() => page.locator("[data-live]").innerText()).toContain(reported);
    await expect.poll(() => page.locator(".removal").count()).toBe(2);
  }
  await expect.poll(() => visit.moves()).toEqual(before);
  await visit.point("d1").click();
  await expect.poll(() => visit.moves()).toEqual([...before, "g7xd1"]);
  await expect.poll(() => page.locator(".mill").count()).toBe(1);
  await expect.poll(() => page.locator('[data-piece="d1"]').count()).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("stones and pieces can be dragged", async () => {
  const visit = await Visit.open({ hash: "#v=smess" });
  const { page } = visit;
  const middle = async (name: string) => {
    const box = await visit.point(name).boundingBox();
    if (!box) throw new Error(name);
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  const drag = async (from: string, to: string) => {
    await page.mouse.move(...(await middle(from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle("d5")), { steps: 3 });
    await page.mouse.move(...(await middle(to)), { steps: 3 });
    await page.mouse.up();
  };
  await drag("d2", "f5");
  await expect.poll(() => visit.moves()).toEqual([]);
  await drag("d2", "d3");
  await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
  await drag("e7", "e6");
  await expect.poll(() => visit.moves()).toEqual(["d2d3", "e7e6"]);
  await visit.close();
});

test("men are seen moving, unless one wants to see none", async () => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const visit = await Visit.open({ hash: "#v=smess", context: { reducedMotion } });
    await visit.point("d2").click();
    // The newly placed men glide to their places.
    await visit.page.waitForFunction(
      () => document.querySelector('[data-piece="d2"]')?.getAnimations().length === 0,
    );
    const animations = await visit.page.evaluate(() => {
      document.querySelector<HTMLElement>('[data-point="d3"]')?.click();
      return new Promise<number>((resolve) => {
        requestAnimationFrame(() =>
          resolve(document.querySelector('[data-piece="d3"]')?.getAnimations().length ?? -1),
        );
      });
    });
    expect(animations).toBe(reducedMotion === "reduce" ? 0 : 1);
    await expect.poll(() => visit.moves()).toEqual(["d2d3"]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  }
});

test("a stone is dragged from the hand", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  const drag = async (name: string) => {
    const hand = await page.locator('[data-side="white"] .hand').boundingBox();
    const point = await visit.point(name).boundingBox();
    if (!hand || !point) throw new Error(name);
    await page.mouse.move(hand.x + 12, hand.y + hand.height / 2);
    await page.mouse.down();
    await page.mouse.move(point.x + 12, point.y + 12, { steps: 4 });
    await expect.poll(() => page.locator(".held").count()).toBe(1);
    await page.mouse.up();
  };
  await drag("d6");
  await expect.poll(() => visit.moves()).toEqual(["d6"]);
  await expect.poll(() => page.locator(".held").count()).toBe(0);
  await visit.close();
});

test("best move, random move, hint, take back, redo, restart, resign", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await visit.tool("Hint");
  await page.waitForSelector(".overlay .hint");
  await visit.tool("Best move");
  const [best] = await visit.reached(1);
  expect(best).toBeDefined();
  await visit.tool("Random move");
  const two = await visit.reached(2);
  await visit.tool("Take back");
  await expect.poll(() => visit.moves()).toEqual([best]);
  await visit.tool("Redo");
  await expect.poll(() => visit.moves()).toEqual(two);
  await visit.tool("Take back");
  const state = await visit.state();
  const other = state.moves.find(({ text }) => text !== two[1])!.text;
  await visit.play(other);
  // The first line remains as a variation.
  await expect.poll(() => page.locator(".variation").count()).toBe(1);
  await page.locator(".pair .move").nth(1).click();
  await expect.poll(() => visit.moves()).toEqual(two);
  await visit.tool("Resign");
  await expect.poll(() => visit.status()).toContain("Black wins White resigned");
  await visit.tool("Restart");
  await expect.poll(() => visit.moves()).toEqual([]);
  await expect.poll(() => visit.status()).toContain("White to move");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("taking back against a computer goes to one's own move", async () => {
  const visit = await Visit.open({ levels: { black: 2 } });
  await visit.play("d6");
  await visit.reached(2);
  await visit.play((await visit.state()).moves[0]!.text);
  await visit.reached(4);
  await visit.tool("Take back");
  await expect.poll(() => visit.moves()).toHaveLength(2);
  await visit.tool("Take back");
  await expect.poll(() => visit.moves()).toHaveLength(0);
  await visit.tool("Redo");
  await expect.poll(() => visit.moves()).toHaveLength(2);
  await visit.close();
});

test("two computers play, pause and go on", async () => {
  // At full strength a move takes a second: weak levels may finish the game before the click.
  const visit = await Visit.open({ levels: { white: 20, black: 20 } });
  await visit.reached(2);
  await visit.tool("Pause");
  const there = (await visit.moves()).length;
  await expect.poll(() => visit.status()).toContain("Paused");
  await visit.page.getByRole("button", { name: "Resume" }).first().click();
  await visit.reached(there + 2);
  await visit.close();
});

test("lines, tables and the bar", async () => {
  const fen = "OO1/3/3/O1X3/1XX/3/3_w_0_0_0_1";
  const visit = await Visit.open({
    hash: `#v=morris&f=${fen}`,
    settings: { tables: true, analyse: true, lines: 3, bar: true },
  });
  const { page } = visit;
  await show(page, "analysis");
  await page.waitForSelector("[data-openings] .won");
  await expect.poll(() => page.locator("[data-openings] [data-move]").count()).toBe(58);
  await page.waitForSelector("[data-lines] li:nth-child(3)");
  await expect.poll(() => page.locator("[data-lines] li").first().innerText()).toContain("+M1");
  await expect.poll(() => page.locator(".overlay .line").count()).toBeGreaterThan(0);
  // Before a stone is chosen its best value is shown on it; then that of each point.
  await expect.poll(() => page.locator("g.badge").count()).toBe(3);
  await visit.point("d7").click();
  await expect.poll(() => page.locator("g.badge.won").count()).toBeGreaterThan(0);
  await expect.poll(() => page.locator('[role="meter"]').getAttribute("aria-valuenow")).toBe("100");
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a hint comes while the position is analysed", async () => {
  const visit = await Visit.open({ settings: { analyse: true } });
  await visit.page.waitForSelector(".overlay .line");
  await visit.tool("Hint");
  await visit.page.waitForSelector(".overlay .hint");
  await visit.tool("Best move");
  await visit.reached(1);
  await visit.close();
});

test("a finished game gets marks and better moves", async () => {
  // White ignores the mill and lets Black close one.
  const visit = await Visit.open({ settings: { review: true }, hash: "#v=morris&m=d6,a7,f4,d7,b4" });
  const { page } = visit;
  await visit.play("f6");
  await visit.play("b2");
  await visit.play("g7xd6");
  await visit.tool("Resign");
  await page.waitForSelector("[data-mistakes] li");
  const first = page.locator("[data-mistakes] li button").first();
  await expect.poll(() => first.innerText()).toContain("Better:");
  await first.click();
  await page.waitForSelector(".overlay .better");
  await expect.poll(() => page.locator(".graph .white").count()).toBe(1);
  // After the mistake the board shows what it allows: the reply, and the points of the mill.
  await page.locator("[data-mistakes] li button", { hasText: "can now close the mill" }).first().click();
  await visit.tool("Redo");
  await expect.poll(() => page.locator(".overlay .threat").count()).toBe(4);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a hint says where to look first, and shows the move then", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=a7,d2,d7,d1" });
  const { page } = visit;
  const live = page.locator("[data-live]");
  const hints = page.locator(".overlay .hint");
  await visit.tool("Hint");
  const clue = "Look at a7–d7–g7: you can take something.";
  await expect.poll(() => visit.status(), { timeout: 60_000 }).toContain(clue);
  expect(await live.innerText()).toContain(`Hint: ${clue}`);
  expect(await hints.count()).toBe(3);
  expect(await hints.locator("path").count()).toBe(0);
  await visit.tool("Hint");
  await expect.poll(() => live.innerText()).toMatch(/Hint: White places g7 and takes d[12]\./);
  expect(await hints.count()).toBe(1);
  // A move ends the hint, and the next one begins with where to look.
  await visit.play("g7xd1");
  await expect.poll(() => hints.count()).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("house rules are the engine's", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await page.click("[data-new]");
  await page.locator('.variant:has(input[value="mlyn"])').click();
  await page.locator("summary").click();
  await page.getByLabel("Stones of each side").fill("5");
  await page.getByLabel("Flying with three stones").check();
  await page.click("[data-start]");
  await expect
    .poll(async () => (await visit.kept()).rules)
    .toEqual({ variant: "mlyn", options: { Stones: 5, Flying: true } });
  await show(page, "rules");
  await expect.poll(() => page.locator("[data-rules]").innerText()).toContain("5 stones");
  await visit.close();
});

test("full strength says where its opening is proved: by the variant's own rules", async () => {
  const visit = await Visit.open({ levels: { black: 20 } });
  const { page } = visit;
  const reported = () => page.locator("[data-pack]").count();
  await page.click("[data-new]");
  await expect.poll(reported).toBe(1);
  await page.locator('[data-level="black"]').fill("19");
  await expect.poll(reported).toBe(0);
  await page.locator('[data-level="black"]').fill("20");
  await page.locator('.variant:has(input[value="smess"])').click();
  await expect.poll(reported).toBe(0);
  for (const variant of ["lasker", "mlyn", "mylos", "morabaraba", "morris"]) {
    await page.locator(`.variant:has(input[value="${variant}"])`).click();
    await expect.poll(reported).toBe(1);
  }
  await page.locator("summary").click();
  const stones = page.getByLabel("Stones of each side");
  await stones.fill("7");
  await stones.press("Tab");
  await expect.poll(reported).toBe(0);
  await visit.close();
});

test("who loses two games is offered a weaker computer, once", async () => {
  const visit = await Visit.open({ levels: { black: 5 } });
  const { page } = visit;
  const offer = page.locator("[data-offer]");
  const lose = async () => {
    await visit.play("d6");
    await expect.poll(async () => (await visit.moves()).length).toBe(2);
    await visit.tool("Resign");
    await expect.poll(() => visit.status()).toContain("White resigned");
  };
  for (let game = 1; game <= 2; game += 1) {
    if (game > 1) await page.getByRole("button", { name: "Play again" }).click();
    await lose();
    if (game < 2) await expect.poll(() => offer.count()).toBe(0);
  }
  await expect.poll(() => offer.innerText()).toBe("Level 4 of 20, casual");
  await offer.click();
  await expect.poll(() => visit.moves()).toEqual([]);
  await page.click("[data-new]");
  await expect.poll(() => page.locator('[data-level="black"]').inputValue()).toBe("4");
  await page.keyboard.press("Escape");
  await lose();
  await visit.reload();
  await visit.ready();
  await expect.poll(() => offer.count()).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

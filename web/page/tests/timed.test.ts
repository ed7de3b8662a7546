import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

test("a flag falls, the clock stands while one is away, and the record tells of it", async () => {
  const visit = await Visit.open();
  const { page } = visit;
  await page.clock.install();
  await page.reload();
  await visit.ready();
  const clock = (side: string) => page.locator(`[data-clock="${side}"]`).innerText();
  await page.click("[data-new]");
  await page.locator("[data-clock-choice]").selectOption("1+0");
  await page.click("[data-start]");
  // No clock runs before the first move.
  await page.clock.runFor(5000);
  expect([await clock("white"), await clock("black")]).toEqual(["1:00", "1:00"]);
  await visit.play("d6");
  await page.clock.runFor(10_000);
  const seconds = async (side: string) => Number((await clock(side)).split(":")[1]);
  // The page itself may have advanced a few steps in addition.
  await expect.poll(() => clock("white")).toBe("1:00");
  await expect.poll(() => seconds("black")).toBeGreaterThan(40);
  await expect.poll(() => seconds("black")).toBeLessThanOrEqual(50);
  await page.reload();
  await visit.ready();
  const left = await seconds("black");
  await page.clock.runFor(90_000);
  await expect.poll(() => seconds("black")).toBe(left);
  await expect.poll(() => visit.status()).toContain("Paused");
  await page.getByRole("button", { name: "Resume" }).first().click();
  await page.clock.runFor(61_000);
  await expect.poll(() => visit.status()).toContain("White wins lost on time");
  await expect.poll(() => clock("black")).toBe("0:00.0");
  await show(page, "device");
  const text = await page.locator("[data-export]").inputValue();
  expect(text).toContain('[Result "1-0"]');
  expect(text).toContain('[WhiteTimeControl "60+0"]');
  expect(text).toContain('[Termination "time forfeit"]');
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a clock that nobody can see stands, until one plays on", async () => {
  const visit = await Visit.open({
    settings: { clock: "1+0" },
    context: { viewport: { width: 390, height: 844 } },
  });
  const { page } = visit;
  await page.click("[data-new]");
  await page.click("[data-start]");
  await visit.play("d6");
  await visit.play("f4");
  const hide = (hidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  const away: Record<string, [() => Promise<unknown>, () => Promise<unknown>]> = {
    editor: [() => show(page, "editor"), () => show(page, "game")],
    list: [() => show(page, "device"), () => show(page, "game")],
    lesson: [
      async () => {
        await show(page, "lessons");
        await page.locator("[data-lesson]").first().click();
      },
      () => show(page, "game"),
    ],
    elsewhere: [() => hide(true), () => hide(false)],
  };
  for (const [name, [go, comeBack]] of Object.entries(away)) {
    await page.locator('.clock.running[data-clock="white"]').waitFor();
    await go();
    await expect.poll(() => page.locator(".clock.running").count(), { message: name }).toBe(0);
    await comeBack();
    await expect.poll(() => visit.status(), { message: name }).toContain("Paused");
    await page.getByRole("button", { name: "Resume" }).first().click();
  }
  // Beside the board it is visible.
  await show(page, "analysis");
  await page.locator('.clock.running[data-clock="white"]').waitFor();
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("a computer plays by the clock, and its time goes down", async () => {
  const visit = await Visit.open({ levels: { black: 20 }, time: 30_000, settings: { clock: "1+0" } });
  const { page } = visit;
  await page.click("[data-new]");
  await page.click("[data-start]");
  await visit.play("d6");
  await visit.reached(2);
  await visit.play((await visit.state()).moves[0]!.text);
  await visit.reached(4);
  // By its time per move two moves would have used up the clock. The display is rounded up.
  await expect.poll(() => page.locator('[data-clock="black"]').innerText()).toMatch(/^0:[0-5]\d/);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

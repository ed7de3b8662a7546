import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, quit, show, Visit } from "./browser.js";

beforeAll(launch);
afterAll(quit);

test("a finished game has a card: who, why, mistakes, and what comes next", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=d6,a7,f4,d7,b4", levels: { white: 2 } });
  const { page } = visit;
  await visit.play("f6");
  await visit.reached(7);
  await expect.poll(() => page.locator("[data-result]").count()).toBe(0);
  await visit.tool("Resign");
  const card = page.locator("[data-result]");
  await expect.poll(() => card.innerText()).toContain("You lost");
  await expect.poll(() => card.innerText()).toContain("Black resigned");
  await card.getByRole("button", { name: "Find mistakes" }).click();
  await expect.poll(() => card.innerText(), { timeout: 60_000 }).toMatch(/\d \?|No mistakes/);
  await card.locator("[data-share]").click();
  await expect.poll(() => page.locator(".toast").innerText()).toContain("Copied");
  // A puzzle of the same game is one click away, and so is the way back.
  await card.locator("[data-puzzle]").click();
  await page.waitForSelector('[data-stage="asked"]');
  await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#\/learn\/puzzles\/morris\./);
  await page.evaluate(() => history.back());
  await card.locator("[data-rematch]").click();
  await expect.poll(() => visit.moves()).toEqual([]);
  await expect.poll(() => page.locator('[data-side="black"]').innerText()).toContain("Computer");
  // A game from a link does not count; this game does, once.
  await visit.play("d6");
  await visit.reached(2);
  await visit.tool("Resign");
  await visit.tool("Take back");
  await visit.tool("Resign");
  await show(page, "device");
  await page.click("[data-open-statistics]");
  const row = page.locator('[data-part="morris"] tbody tr');
  const numbers = async () => (await row.allInnerTexts()).map((text) => text.match(/\d+/g)?.join(" "));
  await expect.poll(numbers).toEqual(["2 1 0 0 1"]);
  await page.click("[data-reset]");
  await expect
    .poll(() => page.locator("[data-statistics] [role=alert]").innerText())
    .toContain("Delete all statistics?");
  await page.click("[data-reset-sure]");
  await expect.poll(() => row.count()).toBe(0);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("sound is off by one click for good; looks are kept; MIF goes out and comes back", async () => {
  const visit = await Visit.open({ hash: "#v=morris&m=d6,f4" });
  const { page } = visit;
  await page.click("[data-sound]");
  await show(page, "settings");
  expect(await page.locator("[data-stones]").inputValue()).toBe("own");
  await page.locator("[data-stones]").selectOption("blue-red");
  await page.locator("[data-wood]").selectOption("plain");
  await page.keyboard.press("Escape");
  const look = () =>
    page.evaluate(() =>
      ["--light-b", "--wood-b"].map((name) =>
        getComputedStyle(document.documentElement).getPropertyValue(name),
      ),
    );
  const chosen = await look();
  await visit.reload();
  await visit.ready();
  await expect.poll(() => look()).toEqual(chosen);
  await expect.poll(() => page.locator("[data-sound]").getAttribute("aria-label")).toBe("Sound on");
  await show(page, "device");
  await page.locator(".format").selectOption("mif");
  const text = await page.locator("[data-export]").inputValue();
  expect(JSON.parse(text).format).toBe("MSTATE/1.0");
  await page.click("[data-new]");
  await page.locator('[data-player-name="white"]').fill(" Anna ");
  await page.click("[data-start]");
  await expect.poll(() => page.locator('[data-side="white"]').innerText()).toContain("Anna");
  await show(page, "device");
  await page.locator(".format").selectOption("record");
  await expect.poll(() => page.locator("[data-export]").inputValue()).toContain('[White "Anna"]');
  await show(page, "import");
  await page.locator("[data-import]").fill(text);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect.poll(() => visit.moves()).toEqual(["d6", "f4"]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

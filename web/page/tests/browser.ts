import type { MoveParts, Ruleset, State, Variant } from "millbrain";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { expect } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { moves, type Tree } from "../src/game/tree.js";
import { addressOf } from "../src/store/address.js";
import type { Part } from "../src/store/view.svelte.js";
import { type Handler, serve, type Served } from "./serve.js";

let browser: Browser | undefined;

export async function launch(): Promise<void> {
  await loadRules();
  browser ??= await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
}

export async function quit(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

export interface Opening {
  /** Part after the address: `#v=..`. */
  hash?: string;
  settings?: Record<string, unknown>;
  context?: BrowserContextOptions;
  served?: Served;
  handler?: Handler;
  /** Levels of the computers; a side without one is a human. */
  levels?: Partial<Record<"white" | "black", number>>;
  /** Milliseconds per move of the computers. */
  time?: number;
  /** Whether a service worker caches the page, which costs more than all else in most tests. */
  keeps?: boolean;
}

/** The page in its own browser. */
export class Visit {
  /** Errors of the page. */
  readonly errors: string[] = [];
  constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    readonly served: Served,
  ) {
    page.on("pageerror", (error) => this.errors.push(String(error.stack)));
    page.on("console", (message) => {
      const report = `${message.text()} (${message.location().url})`;
      // The browser reports that there is no table beside the page. It requests the icon when it likes: perhaps when a
      // test has stopped the server.
      if (/\/tables\/\w+\.mbt\)$|net::ERR_.*\/icon\.svg\)$/.test(report)) return;
      if (["error", "warning"].includes(message.type())) this.errors.push(report);
    });
  }

  static async open({
    hash = "",
    settings,
    context: options,
    served,
    handler,
    levels,
    time = 1000,
    keeps = false,
  }: Opening = {}): Promise<Visit> {
    const host = served ?? (await serve("/some/where/", handler));
    if (!browser) throw new Error("launch first");
    const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", ...options });
    // A busy machine is not a fault of the page.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const visit = new Visit(page, context, host);
    // Evaluating each position costs more than the game: tests that need it enable it.
    const kept = { review: false, bar: false, ...settings };
    const player = (level: number | undefined) => ({
      kind: level === undefined ? "human" : "computer",
      level: level ?? 8,
      time,
    });
    const players = { white: player(levels?.white), black: player(levels?.black) };
    if (!keeps)
      await context.addInitScript(() => {
        delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker;
      });
    // Only once: a reload finds what the page itself has stored.
    await page.addInitScript(
      ([kept, game]) => {
        localStorage.setItem("millbrain.settings", localStorage.getItem("millbrain.settings") ?? kept);
        localStorage.setItem("millbrain.game", localStorage.getItem("millbrain.game") ?? game);
      },
      [JSON.stringify(kept), JSON.stringify({ players, tree: null })] as const,
    );
    await page.goto(host.url + hash);
    await visit.ready();
    return visit;
  }

  /** Opens another window of the same browser. */
  async another(hash = ""): Promise<Visit> {
    const visit = new Visit(await this.context.newPage(), this.context, this.served);
    await visit.page.goto(this.served.url + hash);
    await visit.ready();
    return visit;
  }

  async ready(): Promise<void> {
    await this.page.waitForSelector(".points button");
  }

  /** Reloads the page, once a closed dialog has left the history: going back would abort the loading. */
  async reload(): Promise<void> {
    await settled(this.page);
    await this.page.reload();
  }

  async close(): Promise<void> {
    await this.context.close();
    this.served.close();
  }

  /** Returns the game as stored by the page. */
  async kept(): Promise<{
    rules: Ruleset;
    fen?: string;
    moves: string[];
    at: number;
    tree: Tree;
    auto: boolean;
  }> {
    const text = await this.page.evaluate(
      () => sessionStorage.getItem("millbrain.game") ?? localStorage.getItem("millbrain.game"),
    );
    const kept = JSON.parse(text ?? "null") as {
      rules: Ruleset;
      fen?: string;
      tree: Tree;
      at: number;
      auto: boolean;
    };
    return { ...kept, moves: moves(kept.tree, kept.at) };
  }

  async moves(): Promise<string[]> {
    return (await this.kept()).moves;
  }

  async state(): Promise<State> {
    const kept = await this.kept();
    return rules().state(kept.rules, { fen: kept.fen, moves: kept.moves });
  }

  point(name: string) {
    return this.page.locator(`.points [data-point="${name}"]`);
  }

  /** Plays a move by clicking on its points. */
  async play(move: string): Promise<void> {
    const parts = rules().parts((await this.kept()).rules, move);
    if (parts === null) throw new Error(`${move} is no move`);
    const { from, to, taken } = parts;
    for (const name of [from, to, ...taken]) if (name !== undefined) await this.point(name).click();
  }

  /** Waits until this many moves have been played; clicks on points before that, all at once. */
  async reached(count: number, ...clicks: readonly string[]): Promise<string[]> {
    let due = clicks;
    for (const end = Date.now() + 60_000; ;) {
      const moves = await this.page.evaluate((clicks) => {
        for (const name of clicks)
          document.querySelector<HTMLElement>(`.points [data-point="${name}"]`)?.click();
        const text = sessionStorage.getItem("millbrain.game") ?? localStorage.getItem("millbrain.game");
        const { tree, at } = JSON.parse(text as string);
        const moves: string[] = [];
        for (let id = at; id > 0; id = tree.nodes[id].parent) moves.unshift(tree.nodes[id].move);
        return moves;
      }, due);
      if (moves.length >= count) return moves;
      if (Date.now() > end) throw new Error(`${moves.length} moves, expected ${count}`);
      due = [];
      // In the test: the page's own clock may be stopped.
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  async status(): Promise<string> {
    return (await this.page.locator(".status").innerText()).replaceAll("\n", " ");
  }

  async tool(label: string): Promise<void> {
    const visible = this.page.getByRole("button", { name: label, exact: true });
    if ((await visible.count()) === 0)
      await this.page.getByRole("button", { name: "More", exact: true }).click();
    await visible.click();
  }
}

/** Waits until a closed dialog has left the history. */
const settled = (page: Page) =>
  page.waitForFunction(() => !(history.state as { place?: { dialog: string } } | null)?.place?.dialog);

/** Opens a part of the page by its address. */
export async function show(page: Page, part: Part): Promise<void> {
  await settled(page);
  await page.evaluate((hash) => (location.hash = hash), addressOf({ part }));
  await page.waitForSelector(`#panel[data-open=${part}]`);
}

/**
 * Starts a game of a variant and plays it to its end, White by clicks; returns the number of moves. Each move is one
 * call to the browser: pointer events have their own tests.
 */
export async function playWhole(visit: Visit, variant: Variant): Promise<number> {
  const { page } = visit;
  await page.click("[data-new]");
  await page.locator(`.variant:has(input[value="${variant}"])`).click();
  await page.click("[data-start]");
  const ruleset = { variant };
  await expect.poll(async () => (await visit.kept()).rules).toEqual(ruleset);
  for (let moves: string[] = [], seed = 1; ; seed++) {
    const state = rules().state(ruleset, { moves });
    if (state.ending) return moves.length;
    if (moves.length > 300) throw new Error("the game does not end");
    const { from, to, taken } = state.side === "white" ? choose(state, seed) : NOTHING;
    const clicks = [from, to, ...taken].filter((name) => name !== undefined);
    moves = await visit.reached(moves.length + 1, ...clicks);
  }
}

/** A move that Black makes without clicks. */
const NOTHING: { from?: string; to?: string; taken: readonly string[] } = { taken: [] };

/** Returns a move for a lively game: one that takes something, or any. */
function choose(state: State, seed: number): MoveParts {
  const takes = state.moves.filter(({ taken }) => taken.length > 0);
  const from = takes.length > 0 ? takes : state.moves;
  return from[(seed * 7919) % from.length]!;
}

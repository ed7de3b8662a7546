import type { Ruleset, State, Variant } from "millbrain";
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
  /** After the address: `#v=..`. */
  hash?: string;
  settings?: Record<string, unknown>;
  context?: BrowserContextOptions;
  served?: Served;
  handler?: Handler;
  /** Levels of the computers; a side without one is a human. */
  levels?: Partial<Record<"white" | "black", number>>;
  /** Milliseconds that they take for a move. */
  time?: number;
}

/** The page in a browser of its own. */
export class Visit {
  /** What the page has complained of. */
  readonly errors: string[] = [];
  constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    readonly served: Served,
  ) {
    page.on("pageerror", (error) => this.errors.push(String(error.stack)));
    page.on("console", (message) => {
      // A static host answers the question for a server with 404, as it should.
      const isAsked = /api\/info/.test(message.location().url);
      if (message.type() === "error" && !isAsked) this.errors.push(message.text());
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
  }: Opening = {}): Promise<Visit> {
    const host = served ?? (await serve("/some/where/", handler));
    if (!browser) throw new Error("launch first");
    const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", ...options });
    // A busy machine is no fault of the page.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const visit = new Visit(page, context, host);
    const kept = { review: false, ...settings };
    const player = (level: number | undefined) => ({
      kind: level === undefined ? "human" : "computer",
      level: level ?? 8,
      time,
    });
    const players = { white: player(levels?.white), black: player(levels?.black) };
    // Once: a reload finds what the page itself has kept.
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

  /** Another window of the same browser. */
  async another(hash = ""): Promise<Visit> {
    const visit = new Visit(await this.context.newPage(), this.context, this.served);
    await visit.page.goto(this.served.url + hash);
    await visit.ready();
    return visit;
  }

  async ready(): Promise<void> {
    await this.page.waitForSelector(".points button");
  }

  async close(): Promise<void> {
    await this.context.close();
    this.served.close();
  }

  /** The game as the page keeps it. */
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

  /** Waits until so many moves have been made. */
  async reached(count: number): Promise<string[]> {
    await this.page.waitForFunction(
      (count) => {
        const text = sessionStorage.getItem("millbrain.game") ?? localStorage.getItem("millbrain.game");
        const { tree, at } = JSON.parse(text as string);
        let n = 0;
        for (let id = at; id > 0; id = tree.nodes[id].parent) n++;
        return n >= count;
      },
      count,
      { timeout: 60_000, polling: 20 },
    );
    return this.moves();
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

/** Begins a game of a variant and plays it to its end, White by clicks; returns the number of moves. */
export async function playWhole(visit: Visit, variant: Variant): Promise<number> {
  const { page } = visit;
  await page.click("[data-new]");
  await page.locator(`.variant:has(input[value="${variant}"])`).click();
  await page.click("[data-start]");
  for (let played = 0, seed = 1; ; seed++) {
    const state = await visit.state();
    if (state.ending) return played;
    expect(state.variant).toBe(variant);
    if (state.side === "white") await visit.play(choose(state, seed));
    await visit.reached(played + 1);
    played = (await visit.moves()).length;
    if (played > 300) throw new Error("the game does not end");
  }
}

/** A move that makes for a lively game: one that takes something, or any. */
export function choose(state: State, seed: number): string {
  const takes = state.moves.filter(({ taken }) => taken.length > 0);
  const from = takes.length > 0 ? takes : state.moves;
  return from[(seed * 7919) % from.length]!.text;
}

import type { Analysis, Line, Position, Ruleset } from "millbrain";
import { untrack } from "svelte";
import { looking } from "../engine/client.js";
import { rules as engineRules } from "../engine/rules.js";
import { askTables } from "../engine/server.js";
import { hasDistances, type TableValues, tableValues, valuesInGame } from "../game/tables.js";
import { faultText } from "../texts/faults.js";
import { server } from "./server.svelte.js";
import { session } from "./session.svelte.js";
import { settings } from "./settings.svelte.js";
import { tables } from "./tables.svelte.js";

/** Nodes for the evaluation bar if nothing else is requested: very fast. */
const GLANCE_NODES = 30_000;

class Watch {
  /** The best lines of the position on the board. */
  lines = $state.raw<readonly Line[]>([]);
  values = $state.raw<TableValues | undefined>();
  /** Whether the tables have not answered yet. */
  isProbing = $state(false);
  fault = $state<string | undefined>();
  /** Number of views that show the values of all moves. */
  #showing = $state(0);
  /** A hidden page must not keep the processor busy. */
  #isHidden = $state(document.hidden);

  /** Analyses each position on the board while the page is open. */
  start(): void {
    document.addEventListener("visibilitychange", () => (this.#isHidden = document.hidden));
    $effect.root(() => {
      $effect(() => {
        // When the server's engine comes or goes, the search restarts.
        void settings.engine;
        void settings.table;
        void tables.returns;
        const [rules, fen, moves] = JSON.parse(session.place) as [Ruleset, string | null, string[]];
        const wanted = {
          analyse: settings.analyse && !this.#isHidden,
          lines: settings.lines,
          bar: settings.bar,
          tables: settings.tables || this.#showing > 0,
        };
        this.lines = [];
        this.values = undefined;
        this.isProbing = wanted.tables && !session.end;
        this.fault = undefined;
        if (session.end) return;
        const controller = new AbortController();
        void this.#look(rules, { fen: fen ?? undefined, moves }, wanted, controller.signal);
        return () => controller.abort();
      });
    });
  }

  /** Requests the values of all moves until the returned function is called. */
  showValues(): () => void {
    const add = (n: number) => untrack(() => (this.#showing += n));
    add(1);
    return () => void add(-1);
  }

  async #look(
    rules: Ruleset,
    position: Position,
    wanted: { analyse: boolean; lines: number; bar: boolean; tables: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    // After the board is drawn: the effect must not depend on reads here either.
    await new Promise((resolve) => setTimeout(resolve, 30));
    if (signal.aborted) return;
    const at = session.at;
    const options = { MultiPV: 1, UCI_AnalyseMode: true };
    try {
      if (wanted.tables) {
        const found = await looking.ask(rules, signal, (engine) => engine.probe(rules, position, { signal }));
        if (signal.aborted) return;
        const inGame = (values: TableValues | undefined) => values && valuesInGame(rules, position, values);
        this.values = inGame(found ? tableValues(found.moves) : undefined);
        if (this.values === undefined || !hasDistances(this.values)) {
          const reported = await this.#askServer(rules, position, signal);
          if (signal.aborted) return;
          if (reported && (this.values === undefined || hasDistances(reported)))
            this.values = inGame(reported);
        }
        this.isProbing = false;
      }
      if (wanted.analyse) {
        const lined = { ...options, MultiPV: wanted.lines };
        await looking.ask(rules, signal, (engine) =>
          this.#follow(
            engine.analyse(rules, position, {}, { options: lined, signal }),
            wanted.lines,
            at,
            signal,
          ),
        );
      } else if (wanted.bar && session.node.judgement === undefined) {
        const limits = { nodes: GLANCE_NODES };
        const best = (await looking.search(rules, position, limits, { options, signal }))?.lines[0];
        if (best && !signal.aborted) session.judge(at, best);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.isProbing = false;
      this.fault = faultText(error);
    }
  }

  /** Queries the server's tables, which may know more than the engine's. */
  async #askServer(
    rules: Ruleset,
    position: Position,
    signal: AbortSignal,
  ): Promise<TableValues | undefined> {
    if (server.info === undefined) return undefined;
    const { fen } = engineRules().state(rules, position);
    const reported = await askTables(rules, fen, signal);
    return reported && tableValues(reported);
  }

  /** Shows the lines of an analysis as they arrive. */
  async #follow(search: Analysis, most: number, at: number, signal: AbortSignal): Promise<void> {
    const lines = new Map<number, Line>();
    let shown = 0;
    for await (const line of search) {
      if (signal.aborted) return;
      if (line.bound === undefined || !lines.has(line.multipv)) lines.set(line.multipv, line);
      // Shallow depths pass quickly; the screen skips some of them.
      if (performance.now() - shown < 60 && line.multipv < most) continue;
      shown = performance.now();
      this.#show([...lines.values()], at);
    }
    await search.result;
    if (!signal.aborted) this.#show([...lines.values()], at);
  }

  #show(lines: Line[], at: number): void {
    this.lines = lines.sort((a, b) => a.multipv - b.multipv);
    const first = this.lines[0];
    if (first && first.bound === undefined) session.judge(at, first);
  }
}

export const watch = new Watch();

import type { State } from "millbrain";
import { playing } from "../engine/client.js";
import { rules as engineRules } from "../engine/rules.js";
import { markOf } from "../game/chances.js";
import { tableChance, tableValue } from "../game/tables.js";
import { leaf, moves, nodeOf, path, ROOT } from "../game/tree.js";
import { session } from "./session.svelte.js";
import { settings } from "./settings.svelte.js";

/** The same for every position, so that repeated reviews give the same marks. */
export const REVIEW_NODES = 60_000;

/** A position of a reviewed game. */
interface Judged {
  /** Chances of the side to move, from 0 to 1, by a search. */
  readonly chance: number;
  /** The same by tables or by the rules, if they know it: 0, 0.5 or 1. */
  readonly exact: number | undefined;
  readonly best: string | undefined;
}

/** Returns the chances that a move has lost: exactly if both positions are known. */
function lossOf(before: Judged, after: Judged): number {
  if (before.exact !== undefined && after.exact !== undefined)
    return Math.max(0, before.exact - (1 - after.exact));
  return Math.max(0, before.chance - (1 - after.chance));
}

/** Reviews a finished game: the loss of each move, and the better moves. */
class Review {
  /** Share done so far; `undefined` without a review. */
  progress = $state<number | undefined>();
  #controller = new AbortController();
  /** The game reviewed automatically, so that it happens only once. */
  #done = "";

  /** Starts automatically when a game ends; stops when another one begins or this one continues. */
  start(): void {
    $effect.root(() => {
      $effect(() => {
        const place = session.place;
        if (!session.end) {
          this.stop();
          return;
        }
        // Browsing old games must not review each of them.
        const isNew =
          session.spoken !== undefined || session.closed !== undefined || session.node.time !== undefined;
        if (!settings.review || !isNew || place === this.#done || session.node.parent < 0) return;
        this.#done = place;
        if (!path(session.tree, session.at).some((node) => node.loss !== undefined)) void this.run();
      });
    });
  }

  stop(): void {
    this.#controller.abort();
    this.progress = undefined;
  }

  async run(): Promise<void> {
    this.stop();
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const { rules, fen, key } = session;
    const end = leaf(session.tree, session.at);
    const nodes = [ROOT, ...path(session.tree, end).map((node) => node.id)];
    this.progress = 0;
    try {
      let before: Judged | undefined;
      for (const [i, id] of nodes.entries()) {
        const position = { fen, moves: moves(session.tree, id) };
        const state = engineRules().state(rules, position);
        const after = await this.#judge(id, state, signal);
        if (signal.aborted || session.key !== key || after === undefined) return;
        const { move } = nodeOf(session.tree, id);
        if (before) {
          const loss = before.best === move ? 0 : lossOf(before, after);
          session.note(id, { loss, mark: markOf(loss) });
        }
        before = after;
        this.progress = (i + 1) / nodes.length;
      }
      session.keepMarks();
    } catch {
      // The engine is gone; the marks made so far remain.
    } finally {
      if (this.#controller.signal === signal) this.progress = undefined;
    }
  }

  async #judge(id: number, state: State, signal: AbortSignal): Promise<Judged | undefined> {
    if (state.ending) {
      const { winner } = state.ending;
      const exact = winner === null ? 0.5 : winner === state.side ? 1 : 0;
      return { chance: exact, exact, best: undefined };
    }
    const position = { fen: session.fen, moves: moves(session.tree, id) };
    const probed = await playing.ask(session.rules, signal, (engine) =>
      engine.probe(session.rules, position, { signal }),
    );
    const value = probed ? tableValue(probed) : undefined;
    const exact = value && tableChance(value);
    const known = nodeOf(session.tree, id).judgement;
    if (known === undefined || known.nodes < REVIEW_NODES) {
      const options = { MultiPV: 1, UCI_AnalyseMode: true };
      const limits = { nodes: REVIEW_NODES };
      const found = await playing.search(session.rules, position, limits, { options, signal });
      const line = found?.lines[0];
      if (signal.aborted || !found || !line) return undefined;
      session.judge(id, { ...line, ...(found.move ? { best: found.move } : {}) });
      return {
        chance: engineRules().expectedPoints(session.rules, line.score),
        exact,
        best: found.move ?? undefined,
      };
    }
    return { chance: engineRules().expectedPoints(session.rules, known.score), exact, best: known.best };
  }
}

export const review = new Review();

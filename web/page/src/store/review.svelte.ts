import type { State } from "millbrain";
import { playing } from "../engine/client.js";
import { rules as engineRules } from "../engine/rules.js";
import { markOf } from "../game/chances.js";
import { leaf, moves, nodeOf, path, ROOT } from "../game/tree.js";
import { session } from "./session.svelte.js";
import { settings } from "./settings.svelte.js";

/** The same for every position, so that repeated reviews give the same marks. */
export const REVIEW_NODES = 60_000;

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
      let before: { chance: number; best: string | undefined } | undefined;
      for (const [i, id] of nodes.entries()) {
        const position = { fen, moves: moves(session.tree, id) };
        const state = engineRules().state(rules, position);
        const after = await this.#judge(id, state, signal);
        if (signal.aborted || session.key !== key || after === undefined) return;
        const { move } = nodeOf(session.tree, id);
        if (before) {
          const loss = before.best === move ? 0 : Math.max(0, before.chance - (1 - after.chance));
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

  async #judge(
    id: number,
    state: State,
    signal: AbortSignal,
  ): Promise<{ chance: number; best: string | undefined } | undefined> {
    if (state.ending) {
      const { winner } = state.ending;
      return { chance: winner === null ? 0.5 : winner === state.side ? 1 : 0, best: undefined };
    }
    const known = nodeOf(session.tree, id).judgement;
    if (known === undefined || known.nodes < REVIEW_NODES) {
      const options = { MultiPV: 1, UCI_AnalyseMode: true };
      const position = { fen: session.fen, moves: moves(session.tree, id) };
      const limits = { nodes: REVIEW_NODES };
      const found = await playing.search(session.rules, position, limits, { options, signal });
      const line = found?.lines[0];
      if (signal.aborted || !found || !line) return undefined;
      session.judge(id, { ...line, ...(found.move ? { best: found.move } : {}) });
      return {
        chance: engineRules().expectedPoints(session.rules, line.score),
        best: found.move ?? undefined,
      };
    }
    return { chance: engineRules().expectedPoints(session.rules, known.score), best: known.best };
  }
}

export const review = new Review();

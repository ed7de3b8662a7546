import type { Side } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { faultTexts } from "../panels/faults.js";
import { letter, type Man, readSetup, type Setup, writeSetup } from "../game/fen.js";
import { session } from "./session.svelte.js";

/** The set-up editor: a position that need not be a legal one, and what the engine says of it. */
class Editor {
  setup = $state.raw<Setup>({ men: new Map(), side: "white", hands: { white: 0, black: 0 }, tail: "0 1" });
  /** What a click puts down; nothing takes away. */
  tool = $state.raw<Man | undefined>();
  text = $state("");

  readonly family = $derived(session.state.family);
  readonly faults: readonly string[] = $derived.by(() => {
    if (this.text === "") return [];
    try {
      engineRules().state(session.rules, { fen: this.text });
      return [];
    } catch (error) {
      return faultTexts(error);
    }
  });

  /** Begins with the position on the board. */
  open(): void {
    this.setup = readSetup(session.state.fen);
    this.text = session.state.fen;
    this.tool = { side: "white", kind: this.family === "smess" ? "ninny" : "stone" };
  }

  #set(setup: Setup): void {
    this.setup = setup;
    // A field for mills that have been made on lines belongs to the old position; the engine does without it.
    this.text = writeSetup(setup, this.family);
  }

  click(point: string): void {
    const men = new Map(this.setup.men);
    const there = men.get(point);
    // The same man again is taken away: one need not change the tool for a slip.
    if (this.tool === undefined || (there && letter(there) === letter(this.tool))) men.delete(point);
    else men.set(point, this.tool);
    this.#set({ ...this.setup, men });
  }

  setSide(side: Side): void {
    this.#set({ ...this.setup, side });
  }

  setHand(side: Side, count: number): void {
    const hands = { ...this.setup.hands, [side]: Math.max(0, Math.min(99, Math.round(count) || 0)) };
    this.#set({ ...this.setup, hands });
  }

  clear(): void {
    this.#set({ ...this.setup, men: new Map(), hands: { white: 0, black: 0 } });
  }

  toStart(): void {
    const { fen } = engineRules().state(session.rules);
    this.setup = readSetup(fen);
    this.text = fen;
  }

  /** A FEN typed by hand. The board follows as soon as it is a position. */
  type(text: string): void {
    this.text = text.trim();
    try {
      this.setup = readSetup(engineRules().state(session.rules, { fen: this.text }).fen);
    } catch {
      // The faults are shown; the board stays.
    }
  }

  play(): void {
    if (this.faults.length > 0) return;
    const { fen } = engineRules().state(session.rules, { fen: this.text });
    session.start(session.rules, { fen: fen === engineRules().state(session.rules).fen ? undefined : fen });
  }
}

export const editor = new Editor();

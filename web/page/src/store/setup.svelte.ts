import type { Piece, Setup, Side, State } from "millbrain";
import { commonKind, type Man, put } from "@millbrain/board/model";
import { rules as engineRules } from "../engine/rules.js";
import { shortened } from "../game/fault.js";
import { messageText } from "../i18n/index.svelte.js";
import { faultTexts } from "../texts/faults.js";
import { session } from "./session.svelte.js";

const plain = (id: string) => ({ id, values: {} });

/** The setup editor: a position that may be invalid, with the engine's faults. */
class Editor {
  pieces = $state.raw<readonly Piece[]>([]);
  side = $state<Side>("white");
  hands = $state.raw<Readonly<Record<Side, number>>>({ white: 0, black: 0 });
  /** The man that a click places; `undefined` removes. */
  tool = $state.raw<Man | undefined>();
  text = $state("");
  /** Invalid input for a hand. */
  #badHands = $state.raw<Partial<Record<Side, string>>>({});

  readonly faults: readonly string[] = $derived.by(() => {
    const bad = Object.entries(this.#badHands).map(([side, text]) =>
      messageText({
        id: "fault.field",
        values: {
          field: plain(`field.${side}-hand`),
          text: shortened(text),
          expected: plain("expected.stones"),
        },
      }),
    ) as string[];
    if (this.text === "") return bad;
    try {
      engineRules().state(session.rules, { fen: this.text });
      return bad;
    } catch (error) {
      return [...bad, ...faultTexts(error)];
    }
  });

  /** Starts with the position on the board. */
  open(): void {
    this.#show(session.state);
    this.text = session.state.fen;
    this.tool = { side: "white", kind: commonKind(session.layout) };
  }

  #show({ pieces, side, hands }: State): void {
    [this.pieces, this.side, this.hands] = [pieces, side, hands];
    this.#badHands = {};
  }

  /** Changes the position and resets its counters. */
  #set(changes: Partial<Setup>): void {
    const { pieces, side, hands } = { pieces: this.pieces, side: this.side, hands: this.hands, ...changes };
    [this.pieces, this.side, this.hands] = [pieces, side, hands];
    this.text = engineRules().fen(session.rules, { pieces, side, hands });
  }

  click(point: string): void {
    this.#set({ pieces: put(this.pieces, point, this.tool) });
  }

  setSide(side: Side): void {
    this.#set({ side });
  }

  /** Reads the input for a hand: the engine checks its maximum. */
  setHand(side: Side, typed: string): void {
    const { [side]: _, ...others } = this.#badHands;
    if (/^\d{1,3}$/.test(typed)) {
      this.#badHands = others;
      this.#set({ hands: { ...this.hands, [side]: Number(typed) } });
    } else this.#badHands = { ...others, [side]: typed };
  }

  clear(): void {
    this.#badHands = {};
    this.#set({ pieces: [], hands: { white: 0, black: 0 } });
  }

  toStart(): void {
    const start = engineRules().state(session.rules);
    this.#show(start);
    this.text = start.fen;
  }

  /** Reads a typed FEN. The board follows as soon as it is a position. */
  type(text: string): void {
    this.text = text.trim();
    try {
      this.#show(engineRules().state(session.rules, { fen: this.text }));
    } catch {
      // The faults are shown; the board remains.
    }
  }

  play(): void {
    if (this.faults.length > 0) return;
    const { fen } = engineRules().state(session.rules, { fen: this.text });
    session.start(session.rules, { fen: fen === engineRules().state(session.rules).fen ? undefined : fen });
  }
}

export const editor = new Editor();

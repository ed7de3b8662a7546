import type { BareLayout, BareMove, BareSetup, BareState, BareVariant } from "./bare.js";
import { Border, type Buffers } from "./border.js";
import { EngineError, type Fact, type Position, type Ruleset, type Score } from "./types.js";

/** Of the positions before and after a move, from the side to move there, where they are known. */
type Scores = readonly [before?: Score | undefined, after?: Score | undefined];

/** The functions of the module of the rules; crates/wasm/src/abi/rules.rs describes them. */
interface Exports extends Buffers {
  variants(): number;
  set_rules(): number;
  state(): number;
  layout(): number;
  parts(): number;
  fact(): number;
  compose(): number;
  text(): number;
  files(): number;
  expected_points(score: number): number;
  marks(): number;
}

const refusal = (words: string) => new EngineError(words);

/** The rules in a WebAssembly module. */
export class RulesModule {
  readonly #exports: Exports;
  readonly #border: Border;

  private constructor(exports: Exports) {
    this.#exports = exports;
    this.#border = new Border(exports);
  }

  static async start(module: WebAssembly.Module): Promise<RulesModule> {
    const { exports } = await WebAssembly.instantiate(module);
    return new RulesModule(exports as unknown as Exports);
  }

  /** All variants. */
  variants(): BareVariant[] {
    return this.#border.json(this.#exports.variants());
  }

  /**
   * Sets the rules.
   * @throws {EngineError} rules that do not exist; those in force are the same then
   */
  setRules(rules: Ruleset): void {
    this.#border.ask(rules, this.#exports.set_rules, refusal);
  }

  /**
   * What is on the board.
   * @throws {EngineError} a fault of the FEN, or a move that cannot be played
   */
  state({ fen, moves }: Position): BareState {
    return this.#border.ask({ fen, moves }, this.#exports.state, refusal);
  }

  /**
   * What is wrong with the last move of a position.
   * @throws {EngineError} a fault of the FEN, or a move that cannot be played
   */
  fact({ fen, moves }: Position, better: string, [before, after]: Scores): Fact | null {
    return this.#border.ask({ fen, moves, better, before, after }, this.#exports.fact, refusal);
  }

  /** The board of the rules in force. */
  layout(): BareLayout {
    return this.#border.json(this.#exports.layout());
  }

  /** A move of the rules in force taken apart; nothing for what is no move of theirs. */
  parts(text: string): BareMove | null {
    this.#border.give(text);
    return this.#border.json(this.#exports.parts());
  }

  /** The FEN of a setup, which may break the rules; empty for what is no setup. */
  compose(setup: BareSetup): string {
    this.#border.give(JSON.stringify(setup));
    return this.#border.answer(this.#exports.compose());
  }

  /** The rules in force in words. */
  text(language: string): string[] {
    this.#border.give(language);
    return this.#border.lines(this.#exports.text());
  }

  /** The files that a search by the rules in force asks for. */
  files(): string[] {
    return this.#border.lines(this.#exports.files());
  }

  /** Points to be expected by the rules in force, from 0 to 1, from a score in hundredths of a stone. */
  expectedPoints(score: number): number {
    return this.#exports.expected_points(score);
  }

  /** Losses of expected points from which moves are marked, the greatest first. */
  marks(): [number, string][] {
    const marks: [permille: number, mark: string][] = this.#border.json(this.#exports.marks());
    return marks.map(([permille, mark]) => [permille / 1000, mark]);
  }
}

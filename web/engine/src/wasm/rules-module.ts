import type { RawLayout, RawMove, RawSetup, RawState, RawVariant } from "./raw.js";
import { Bridge, type Buffers } from "./bridge.js";
import { EngineError, type Fact, type Note, type Position, type Ruleset, type Score } from "../types.js";

/** The scores before and after a move, from the side to move there, if known. */
type Scores = readonly [before?: Score | undefined, after?: Score | undefined];

/** The functions of the rules module; crates/wasm/src/abi/rules.rs describes them. */
interface Exports extends Buffers {
  variants(): number;
  set_rules(): number;
  state(): number;
  layout(): number;
  parts(): number;
  facts(): number;
  compose(): number;
  text(): number;
  files(): number;
  expected_points(score: number): number;
  marks(): number;
}

const refusal = ({ message, id, values }: Note) => new EngineError(message, id, values);

/** The rules in a WebAssembly module. */
export class RulesModule {
  readonly #exports: Exports;
  readonly #bridge: Bridge;

  private constructor(exports: Exports) {
    this.#exports = exports;
    this.#bridge = new Bridge(exports);
  }

  static async start(module: WebAssembly.Module): Promise<RulesModule> {
    const { exports } = await WebAssembly.instantiate(module);
    return new RulesModule(exports as unknown as Exports);
  }

  /** Returns all variants. */
  variants(): RawVariant[] {
    return this.#bridge.json(this.#exports.variants());
  }

  /**
   * Sets the rules.
   * @throws {EngineError} unknown rules; then nothing has changed
   */
  setRules(rules: Ruleset): void {
    this.#bridge.ask(rules, this.#exports.set_rules, refusal);
  }

  /**
   * Returns the state of a position.
   * @throws {EngineError} a fault of the FEN, or a move that cannot be played
   */
  state({ fen, moves }: Position): RawState {
    return this.#bridge.ask({ fen, moves }, this.#exports.state, refusal);
  }

  /**
   * Returns the facts about the last move of a position.
   * @throws {EngineError} a fault of the FEN, or a move that cannot be played
   */
  facts({ fen, moves }: Position, better: string, [before, after]: Scores): Fact[] {
    return this.#bridge.ask({ fen, moves, better, before, after }, this.#exports.facts, refusal);
  }

  /** Returns the board of the current rules. */
  layout(): RawLayout {
    return this.#bridge.json(this.#exports.layout());
  }

  /** Parses a move of the current rules into its parts; returns `null` for any other text. */
  parts(text: string): RawMove | null {
    this.#bridge.give(text);
    return this.#bridge.json(this.#exports.parts());
  }

  /** Returns the FEN of a setup, which may break the rules; empty for an invalid setup. */
  compose(setup: RawSetup): string {
    this.#bridge.give(JSON.stringify(setup));
    return this.#bridge.answer(this.#exports.compose());
  }

  /** Describes the current rules. */
  text(language: string): string[] {
    this.#bridge.give(language);
    return this.#bridge.lines(this.#exports.text());
  }

  /** Returns the files that a search with the current rules requests. */
  files(): string[] {
    return this.#bridge.lines(this.#exports.files());
  }

  /** Returns the expected points under the current rules, from 0 to 1, for a score in hundredths of a stone. */
  expectedPoints(score: number): number {
    return this.#exports.expected_points(score);
  }

  /** Returns the minimum losses of expected points for marked moves, greatest first. */
  marks(): [number, string][] {
    const marks: [permille: number, mark: string][] = this.#bridge.json(this.#exports.marks());
    return marks.map(([permille, mark]) => [permille / 1000, mark]);
  }
}

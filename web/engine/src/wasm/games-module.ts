import { Bridge, type Buffers } from "./bridge.js";
import {
  type GameFormat,
  type GamePiece,
  type GamesText,
  type GameText,
  NotationError,
  type Note,
  type Ruleset,
} from "../types.js";

/** The functions of the games module; crates/wasm/src/abi/games.rs describes them. */
interface Exports extends Buffers {
  read_games(): number;
  splitter(): number;
  split(splitter: number): number;
  split_end(splitter: number): number;
  write_game(): number;
}

const refusal = ({ message, id, values }: Note) => new NotationError(message, id, values);

/** Reads and writes games in a WebAssembly module. */
export class GamesModule {
  readonly #exports: Exports;
  readonly #bridge: Bridge;

  private constructor(exports: Exports) {
    this.#exports = exports;
    this.#bridge = new Bridge(exports);
  }

  static async start(module: WebAssembly.Module): Promise<GamesModule> {
    const { exports } = await WebAssembly.instantiate(module);
    return new GamesModule(exports as unknown as Exports);
  }

  /**
   * Reads the games of a text.
   * @throws {NotationError} for the first fault
   */
  read(text: string, rules: Ruleset, line: number): GamesText {
    return this.#bridge.ask({ text, before: line - 1, ...rules }, this.#exports.read_games, refusal);
  }

  /** Splits a text of games, part by part; each piece has the number of characters processed so far. */
  *split(text: string, part: number): Generator<GamePiece> {
    const splitter = this.#exports.splitter();
    const pieces = (length: number, end: number) =>
      this.#bridge.json<Omit<GamePiece, "end">[]>(length).map((piece) => ({ ...piece, end }));
    let isOpen = true;
    try {
      for (let at = 0; at < text.length; ) {
        const begin = at;
        at = Math.min(at + part, text.length);
        // Surrogate pairs stay together.
        if (/[\uD800-\uDBFF]/.test(text.charAt(at - 1))) at += 1;
        this.#bridge.give(text.slice(begin, at));
        yield* pieces(this.#exports.split(splitter), Math.min(at, text.length));
      }
      isOpen = false;
      yield* pieces(this.#exports.split_end(splitter), text.length);
    } finally {
      if (isOpen) this.#exports.split_end(splitter);
    }
  }

  /**
   * Writes a game.
   * @throws {NotationError} for a game that the form cannot express
   */
  write(game: GameText, format: GameFormat): string {
    return this.#bridge.ask({ game, format }, this.#exports.write_game, refusal);
  }
}

import { named, Names } from "./bare.js";
import { compile, EngineModule, moduleFile } from "./module.js";
import { host } from "./host.js";
import {
  EngineError,
  type GameFormat,
  type GamePiece,
  type GamesText,
  type GameText,
  type Layout,
  type MoveParts,
  type Option,
  type Position,
  type Ruleset,
  type Score,
  type Setup,
  type State,
  type VariantInfo,
} from "./types.js";
import { positionLine, rulesLines } from "./lines.js";
import { isTable } from "./supply.js";
import { parseOption } from "./parse.js";

/** Characters of a text that are looked at in one go: a moment's work. */
const PART = 1 << 16;

/** A board, and the moves that have been taken apart on it. */
interface Board {
  readonly names: Names;
  readonly moves: Map<string, MoveParts>;
}

/**
 * The rules of all games, answered at once on the calling thread. It is the engine itself without a search: what it says
 * is what the engine would say.
 */
export class Rules {
  #module: EngineModule;
  #lines: string[] = [];
  #rules = "";
  #variants: VariantInfo[] | undefined;
  #marks: [number, string][] | undefined;
  /** By the rules as JSON: boards and moves are asked for again and again. */
  readonly #boards = new Map<string, Board>();
  readonly #assets: string;

  private constructor(module: EngineModule, assets: string) {
    this.#module = module;
    this.#assets = assets;
    module.onLine = (line) => this.#lines.push(line);
  }

  /**
   * Loads the engine; `assets` is the address of the package's folder `data`, if it is not beside the code.
   * @throws {AssetError} a module that is not there or is damaged
   */
  static async create({ assets = host().assets }: { assets?: string } = {}): Promise<Rules> {
    const module = await compile(new URL("millbrain.wasm", assets).href, host().readAsset, host().forget);
    const rules = new Rules(await EngineModule.start(module), assets);
    // Nothing is searched here.
    rules.#demand("setoption name Hash value 1");
    return rules;
  }

  /** Sends a line of the protocol that asks for no search; returns the answer. */
  ask(line: string): string[] {
    this.#lines = [];
    this.#module.line(line);
    return this.#lines;
  }

  /** The options with their defaults. */
  options(): Option[] {
    return this.ask("uci").flatMap((line) => parseOption(line) ?? []);
  }

  /** The engine's refusal of a line, thrown. */
  #demand(line: string): void {
    const refusal = this.ask(line).find((answer) => answer.startsWith("info string "));
    if (refusal !== undefined) throw new EngineError(refusal.slice("info string ".length));
  }

  /** Sets the rules; the position is the start of the game then. */
  #setRules(rules: Ruleset): void {
    const key = JSON.stringify(rules);
    if (key === this.#rules) return;
    this.#rules = "";
    for (const line of rulesLines(rules)) this.#demand(line);
    this.#rules = key;
  }

  #board(rules: Ruleset): Board {
    const key = JSON.stringify(rules);
    const known = this.#boards.get(key);
    if (known !== undefined) return known;
    this.#setRules(rules);
    const board = { names: new Names(named(this.#module.layout())), moves: new Map() };
    this.#boards.set(key, board);
    return board;
  }

  /** All variants, with their rule options and boards. */
  variants(): readonly VariantInfo[] {
    this.#variants ??= this.#module.variants().map(({ layout, ...rest }) => ({ ...rest, layout: named(layout) }));
    return this.#variants;
  }

  /**
   * The board of these rules.
   * @throws {EngineError} house rules that do not exist
   */
  layout(rules: Ruleset): Layout {
    return this.#board(rules).names.layout;
  }

  /**
   * Takes the text of a move apart, whether it is legal or not; nothing for what is no move by these rules.
   * @throws {EngineError} house rules that do not exist
   */
  parts(rules: Ruleset, text: string): MoveParts | null {
    const { names, moves } = this.#board(rules);
    const known = moves.get(text);
    if (known !== undefined) return known;
    this.#setRules(rules);
    const bare = this.#module.parts(text);
    if (bare === null) return null;
    const parts = names.move(bare);
    moves.set(text, parts);
    return parts;
  }

  /**
   * The FEN of a position that may break the rules; `state` tells what is wrong with it.
   * @throws {EngineError} a point or a kind that the board does not have
   */
  fen(rules: Ruleset, setup: Setup): string {
    const bare = this.#board(rules).names.setup(setup);
    this.#setRules(rules);
    return this.#module.compose(bare);
  }

  /**
   * What is on the board after these moves.
   * @throws {EngineError} a fault of the FEN, a move that cannot be played, or house rules that do not exist
   */
  state(rules: Ruleset, position: Position = {}): State {
    this.#setRules(rules);
    this.#demand(positionLine(position));
    return this.#board(rules).names.state(this.#module.state());
  }

  /**
   * Reads games as records, SGF or lists of moves, and plays their moves; a bare list is played by these rules.
   * @throws {NotationError} the first fault
   */
  readGames(text: string, rules: Ruleset): GamesText {
    return this.#module.readGames(text, rules);
  }

  /**
   * Takes a text of many games apart, each as soon as it is asked for, without reading them: whether a piece is a game,
   * `readGames` says. Joined, the pieces are the text but for space between them.
   */
  splitGames(text: string): Generator<GamePiece> {
    return this.#module.splitGames(text, PART);
  }

  /**
   * The text of a game; a record and a list have its main line only.
   * @throws {NotationError} for a game that the form has no place for, and rules that do not exist
   */
  writeGame(game: GameText, format: GameFormat): string {
    return this.#module.writeGame(game, format);
  }

  /** Points to be expected from a score, from 0 (lost) to 1 (won). */
  expectedPoints(score: Score): number {
    // Mate in 0: the game has been lost.
    if ("mate" in score) return score.mate > 0 ? 1 : 0;
    return this.#module.expectedPoints(score.cp);
  }

  /** Losses of expected points from which a move is marked, with the marks (`??`, `?`, `?!`), the greatest first. */
  marks(): ReadonlyArray<readonly [least: number, mark: string]> {
    this.#marks ??= this.#module.marks();
    return this.#marks;
  }

  /** A legal move chosen at random; nothing if there is none. */
  randomMove(rules: Ruleset, position: Position = {}): string | null {
    this.#setRules(rules);
    this.#demand(positionLine(position));
    const [move] = this.ask("random");
    return move === undefined || move === "(none)" ? null : move;
  }

  /** The rules in words, a sentence or two each. */
  text(rules: Ruleset, language: "en" | "de" | "sk"): string[] {
    this.#setRules(rules);
    return this.ask(`rules ${language}`);
  }

  /**
   * Fetches what an engine with so many threads needs to search by these rules, so that a browser has it without a
   * network: the module, the network and, unless they are left out, the small tables.
   * @throws when a file cannot be had; those before it are kept
   */
  async keep(rules: Ruleset, { threads = 1, tables = true }: { threads?: number; tables?: boolean } = {}): Promise<void> {
    const { keep } = host();
    if (keep === undefined) return;
    this.#setRules(rules);
    // Nothing is installed here, so that everything is missing.
    const names = this.#module.missing().filter((name) => tables || !isTable(name));
    for (const name of [moduleFile(threads), ...names]) await keep(new URL(name, this.#assets).href);
  }
}

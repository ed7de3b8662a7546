import { type BareState, named, Names } from "./bare.js";
import { compile } from "./border.js";
import { checkedGame, checkedRules, checkedScore, checkedSetup, checkPosition, oneOf, onlyKeys, whole } from "./checks.js";
import { GamesModule } from "./games-module.js";
import { host } from "./host.js";
import { RulesModule } from "./rules-module.js";
import { moduleFile } from "./suspend.js";
import { isExtra, isPack } from "./supply.js";
import {
  EngineError,
  type Fact,
  type GameFormat,
  type GamePiece,
  type GamesText,
  type GameText,
  type Layout,
  type MoveParts,
  type OnDownload,
  type Position,
  type Ruleset,
  type Score,
  type Setup,
  type State,
  type VariantInfo,
} from "./types.js";

/** Characters of a text that are looked at in one go: a moment's work. */
const PART = 1 << 16;

/** A board, and the moves that have been taken apart on it. */
interface Board {
  readonly names: Names;
  readonly moves: Map<string, MoveParts>;
}

/** The modules of the rules and of games read and written; that of the engine is for its worker. */
const RULES = "rules.wasm";
const GAMES = "games.wasm";

const LANGUAGES: readonly (Parameters<Rules["text"]>[1])[] = ["en", "de", "sk"];

const load = (name: string, assets: string) => compile(new URL(name, assets).href, host().readAsset, host().forget);
const loadGames = async (assets: string) => GamesModule.start(await load(GAMES, assets));

/**
 * The rules of all games, answered at once on the calling thread, by the engine's own code: what it says is what the
 * engine would say.
 */
export class Rules {
  readonly #module: RulesModule;
  #games: GamesModule | undefined;
  #rules = "";
  #variants: VariantInfo[] | undefined;
  #marks: [number, string][] | undefined;
  /** By the rules as JSON: boards and moves are asked for again and again. */
  readonly #boards = new Map<string, Board>();
  readonly #assets: string;

  private constructor(module: RulesModule, assets: string) {
    this.#module = module;
    this.#assets = assets;
  }

  /**
   * Loads the rules; `assets` is the address of the package's folder `data`, if it is not beside the code. Without `games`
   * what reads and writes games is left for `loadGames`: a board needs it not.
   * @throws {AssetError} a module that is not there or is damaged
   */
  static async create(settings: { assets?: string; games?: boolean } = {}): Promise<Rules> {
    onlyKeys("settings", settings, { assets: true, games: true });
    const { assets = host().assets, games = true } = settings;
    const rules = (async () => new Rules(await RulesModule.start(await load(RULES, assets)), assets))();
    const [created, reader] = await Promise.all([rules, games ? loadGames(assets) : undefined]);
    created.#games = reader;
    return created;
  }

  /**
   * Loads what reads and writes games, if it is not there.
   * @throws {AssetError} a module that is not there or is damaged
   */
  async loadGames(): Promise<void> {
    this.#games ??= await loadGames(this.#assets);
  }

  #reader(): GamesModule {
    if (this.#games === undefined) throw new EngineError("games cannot be read or written yet, expected loadGames()");
    return this.#games;
  }

  /** Sets the rules. */
  #setRules(rules: Ruleset): void {
    const wanted = checkedRules(rules);
    const key = JSON.stringify(wanted);
    if (key === this.#rules) return;
    this.#module.setRules(wanted);
    this.#rules = key;
  }

  #board(rules: Ruleset): Board {
    const key = JSON.stringify(checkedRules(rules));
    const known = this.#boards.get(key);
    if (known !== undefined) return known;
    this.#setRules(rules);
    const board = { names: new Names(named(this.#module.layout())), moves: new Map() };
    this.#boards.set(key, board);
    return board;
  }

  #stateOf(rules: Ruleset, position: Position): BareState {
    checkPosition(position);
    this.#setRules(rules);
    return this.#module.state(position);
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
   * @throws {EngineError} a point or a kind that the board does not have, or a number that is none
   */
  fen(rules: Ruleset, setup: Setup): string {
    const bare = this.#board(rules).names.setup(checkedSetup(setup));
    this.#setRules(rules);
    return this.#module.compose(bare);
  }

  /**
   * What is on the board after these moves.
   * @throws {EngineError} a fault of the FEN, a move that cannot be played, or house rules that do not exist
   */
  state(rules: Ruleset, position: Position = {}): State {
    return this.#board(rules).names.state(this.#stateOf(rules, position));
  }

  /**
   * Reads games as records, SGF or lists of moves, and plays their moves; a bare list is played by these rules.
   * @throws {NotationError} the first fault
   * @throws {EngineError} rules that are none
   */
  readGames(text: string, rules: Ruleset): GamesText {
    return this.#reader().read(text, checkedRules(rules));
  }

  /**
   * Takes a text of many games apart, each as soon as it is asked for, without reading them: whether a piece is a game,
   * `readGames` says. Joined, the pieces are the text but for space between them.
   */
  splitGames(text: string): Generator<GamePiece> {
    return this.#reader().split(text, PART);
  }

  /**
   * The text of a game; a record and a list have its main line only.
   * @throws {NotationError} for a game that the form has no place for, and rules that do not exist
   * @throws {EngineError} a number that is none, or a key that no game has
   */
  writeGame(game: GameText, format: GameFormat): string {
    return this.#reader().write(checkedGame(game), format);
  }

  /**
   * Points to be expected by these rules from a score, from 0 (lost) to 1 (won).
   * @throws {EngineError} a score that is none
   */
  expectedPoints(rules: Ruleset, score: Score): number {
    const checked = checkedScore(score);
    // Mate in 0: the game has been lost.
    if ("mate" in checked) return checked.mate > 0 ? 1 : 0;
    this.#setRules(rules);
    return this.#module.expectedPoints(checked.cp);
  }

  /**
   * What is wrong with the last move of a position, given a better one in its place; nothing if that is no plain fact. Scores
   * of the positions before and after it, from the side to move there, tell of wins and losses.
   * @throws {EngineError} a fault of the FEN, a move before it that cannot be played, or a score that is none
   */
  fact(rules: Ruleset, position: Position, better: string, scores: readonly (Score | undefined)[] = []): Fact | null {
    checkPosition(position);
    const [before, after] = scores.map((score) => score && checkedScore(score));
    this.#setRules(rules);
    return this.#module.fact(position, better, [before, after]);
  }

  /** Losses of expected points from which a move is marked, with the marks (`??`, `?`, `?!`), the greatest first. */
  marks(): ReadonlyArray<readonly [least: number, mark: string]> {
    this.#marks ??= this.#module.marks();
    return this.#marks;
  }

  /** A legal move chosen at random; nothing if there is none. */
  randomMove(rules: Ruleset, position: Position = {}): string | null {
    const { moves } = this.#stateOf(rules, position);
    return moves[Math.floor(Math.random() * moves.length)]?.text ?? null;
  }

  /**
   * The rules in words, a sentence or two each.
   * @throws {EngineError} a language that there is not
   */
  text(rules: Ruleset, language: "en" | "de" | "sk"): string[] {
    oneOf("language", language, LANGUAGES);
    this.#setRules(rules);
    return this.#module.text(language);
  }

  /** Whether there is a carry pack for these rules: an engine at full strength follows its strategy. */
  hasPack(rules: Ruleset): boolean {
    this.#setRules(rules);
    return this.#module.files().some(isPack);
  }

  /**
   * Fetches what an engine with so many threads needs to search by these rules, so that a browser has it without a
   * network: the module, the network and, unless they are left out, the small tables and the pack.
   * @throws when a file cannot be had; those before it are kept
   */
  async keep(
    rules: Ruleset,
    settings: { threads?: number; tables?: boolean; onDownload?: OnDownload } = {},
  ): Promise<void> {
    onlyKeys("settings", settings, { threads: true, tables: true, onDownload: true });
    const { tables = true, onDownload } = settings;
    const threads = whole("threads", settings.threads === undefined ? 1 : settings.threads, 1);
    this.#setRules(rules);
    const { keep } = host();
    if (keep === undefined) return;
    const names = this.#module.files().filter((name) => tables || !isExtra(name));
    for (const name of [RULES, GAMES, moduleFile(threads), ...names]) await keep(new URL(name, this.#assets).href, onDownload);
  }
}

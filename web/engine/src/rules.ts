import { type RawState, named, Names } from "./wasm/raw.js";
import { compile } from "./wasm/bridge.js";
import { checkedGame, checkedRules, checkedScore, checkedSetup, checkPosition, oneOf, onlyKeys, whole } from "./checks.js";
import { GamesModule } from "./wasm/games-module.js";
import { host } from "./host.js";
import { RulesModule } from "./wasm/rules-module.js";
import { moduleFile } from "./wasm/suspend.js";
import { isExtra, isPack } from "./files/loader.js";
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

/** Characters of a text processed at a time, in a moment. */
const PART = 1 << 16;

/** A board with its parsed moves. */
interface Board {
  readonly names: Names;
  readonly moves: Map<string, MoveParts>;
}

/** The modules of the rules and of games; the engine's module belongs to its worker. */
const RULES = "rules.wasm";
const GAMES = "games.wasm";

const LANGUAGES = ["en", "de", "sk"] as const;

const load = (name: string, assets: string) => compile(new URL(name, assets).href, host().readAsset, host().forget);
const loadGames = async (assets: string) => GamesModule.start(await load(GAMES, assets));

/**
 * The rules of all games, synchronous on the calling thread. They use the engine's own code, so the results always
 * agree with the engine.
 */
export class Rules {
  readonly #module: RulesModule;
  #games: GamesModule | undefined;
  #rules = "";
  #variants: VariantInfo[] | undefined;
  #marks: [number, string][] | undefined;
  /** By the rules as JSON: boards and moves are requested repeatedly. */
  readonly #boards = new Map<string, Board>();
  readonly #assets: string;

  private constructor(module: RulesModule, assets: string) {
    this.#module = module;
    this.#assets = assets;
  }

  /**
   * Loads the rules; `assets` is the address of the package's folder `data`, if it is not beside the code. Without
   * `games` the module for games is left to `loadGames`: a board does not need it.
   * @throws {AssetError} a missing or damaged module
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
   * Loads the module that reads and writes games, if necessary.
   * @throws {AssetError} a missing or damaged module
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

  #stateOf(rules: Ruleset, position: Position): RawState {
    checkPosition(position);
    this.#setRules(rules);
    return this.#module.state(position);
  }

  /** Returns all variants, with their rule options and boards. */
  variants(): readonly VariantInfo[] {
    this.#variants ??= this.#module.variants().map(({ layout, ...rest }) => ({ ...rest, layout: named(layout) }));
    return this.#variants;
  }

  /**
   * Returns the board of these rules.
   * @throws {EngineError} unknown house rules
   */
  layout(rules: Ruleset): Layout {
    return this.#board(rules).names.layout;
  }

  /**
   * Parses the text of a move into its parts, legal or not; returns `null` for a text that is not a move under these
   * rules.
   * @throws {EngineError} unknown house rules
   */
  parts(rules: Ruleset, text: string): MoveParts | null {
    const { names, moves } = this.#board(rules);
    const known = moves.get(text);
    if (known !== undefined) return known;
    this.#setRules(rules);
    const raw = this.#module.parts(text);
    if (raw === null) return null;
    const parts = names.move(raw);
    moves.set(text, parts);
    return parts;
  }

  /**
   * Returns the FEN of a position that may break the rules; `state` reports its faults.
   * @throws {EngineError} an unknown point or kind, or an invalid number
   */
  fen(rules: Ruleset, setup: Setup): string {
    const raw = this.#board(rules).names.setup(checkedSetup(setup));
    this.#setRules(rules);
    return this.#module.compose(raw);
  }

  /**
   * Returns the state of the board after these moves.
   * @throws {EngineError} a fault of the FEN, a move that cannot be played, or unknown house rules
   */
  state(rules: Ruleset, position: Position = {}): State {
    return this.#board(rules).names.state(this.#stateOf(rules, position));
  }

  /**
   * Reads games as records, SGF or lists of moves, and replays their moves; a bare list uses these rules. Faults
   * count lines from `line`, the line of the text in its file.
   * @throws {NotationError} the first fault
   * @throws {EngineError} invalid rules
   */
  readGames(text: string, rules: Ruleset, line = 1): GamesText {
    return this.#reader().read(text, checkedRules(rules), whole("line", line, 1));
  }

  /**
   * Splits a text of many games lazily, without reading them: `readGames` decides whether a piece is a game. Joined,
   * the pieces are the text except for space between them.
   */
  splitGames(text: string): Generator<GamePiece> {
    return this.#reader().split(text, PART);
  }

  /**
   * Writes a game; a record and a list have its main line only.
   * @throws {NotationError} for a game that the form cannot express, and unknown rules
   * @throws {EngineError} an invalid number, or an unknown key
   */
  writeGame(game: GameText, format: GameFormat): string {
    return this.#reader().write(checkedGame(game), format);
  }

  /**
   * Returns the expected points under these rules for a score, from 0 (lost) to 1 (won).
   * @throws {EngineError} an invalid score
   */
  expectedPoints(rules: Ruleset, score: Score): number {
    const checked = checkedScore(score);
    // Mate in 0: the game is lost.
    if ("mate" in checked) return checked.mate > 0 ? 1 : 0;
    this.#setRules(rules);
    return this.#module.expectedPoints(checked.cp);
  }

  /**
   * Returns the strongest facts about the last move of a position, two at most, given a better one in its place. Scores
   * of the positions before and after it, from the side to move there, indicate wins and losses.
   * @throws {EngineError} a fault of the FEN, an earlier move that cannot be played, or an invalid score
   */
  facts(rules: Ruleset, position: Position, better: string, scores: readonly (Score | undefined)[] = []): Fact[] {
    checkPosition(position);
    const [before, after] = scores.map((score) => score && checkedScore(score));
    this.#setRules(rules);
    return this.#module.facts(position, better, [before, after]);
  }

  /** Returns the first of the {@link facts}; `null` if there is none. */
  fact(rules: Ruleset, position: Position, better: string, scores: readonly (Score | undefined)[] = []): Fact | null {
    return this.facts(rules, position, better, scores)[0] ?? null;
  }

  /** Returns the minimum losses of expected points with their marks (`??`, `?`, `?!`), greatest first. */
  marks(): ReadonlyArray<readonly [least: number, mark: string]> {
    this.#marks ??= this.#module.marks();
    return this.#marks;
  }

  /** Returns a random legal move; `null` if there is none. */
  randomMove(rules: Ruleset, position: Position = {}): string | null {
    const { moves } = this.#stateOf(rules, position);
    return moves[Math.floor(Math.random() * moves.length)]?.text ?? null;
  }

  /**
   * Describes the rules, one or two sentences each.
   * @throws {EngineError} an unknown language
   */
  text(rules: Ruleset, language: (typeof LANGUAGES)[number]): string[] {
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
   * Downloads the files that an engine with this number of threads needs to search with these rules, for use without a
   * network: the module, the network and, by default, the small tables and the pack.
   * @throws when a file is not available; earlier files remain cached
   */
  async keep(
    rules: Ruleset,
    settings: { threads?: number; tables?: boolean; onDownload?: OnDownload } = {},
  ): Promise<void> {
    onlyKeys("settings", settings, { threads: true, tables: true, onDownload: true });
    const { tables = true, onDownload } = settings;
    const threads = whole("threads", settings.threads === undefined ? 1 : settings.threads, 1);
    this.#setRules(rules);
    const { addressOf, keep } = host();
    if (keep === undefined) return;
    const names = this.#module.files();
    const networks = names.filter((name) => !isExtra(name));
    const extras = tables ? names.filter(isExtra) : [];
    // In the order in which they are needed.
    for (const name of [RULES, moduleFile(threads), ...networks, GAMES, ...extras])
      await keep(addressOf(name, this.#assets), onDownload);
  }
}

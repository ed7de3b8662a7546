import { compile, EngineModule, moduleFile } from "./module.js";
import { host } from "./host.js";
import { EngineError, type MoveParts, type Option, type Position, type Ruleset, type State } from "./types.js";
import { positionLine, rulesLines } from "./lines.js";
import { parseOption } from "./parse.js";

/** Takes the text of a move apart. */
export function moveParts(text: string): MoveParts {
  const match = /^([a-g][1-8])([a-g][1-8])?(?:x([a-g][1-8]))?$/.exec(text);
  if (!match) throw new EngineError(`move ${JSON.stringify(text)}, expected one such as d6, a4a7, d6xb4 or d2d3`);
  const [, first, second, remove] = match as unknown as [string, string, string | undefined, string | undefined];
  return {
    ...(second === undefined ? { to: first } : { from: first, to: second }),
    ...(remove === undefined ? {} : { remove }),
  };
}

/**
 * The rules of all games, answered at once on the calling thread. It is the engine itself without a search: what it says
 * is what the engine would say.
 */
export class Rules {
  #module: EngineModule;
  #lines: string[] = [];
  #rules = "";
  readonly #assets: string;

  private constructor(module: EngineModule, assets: string) {
    this.#module = module;
    this.#assets = assets;
    module.onLine = (line) => this.#lines.push(line);
  }

  /**
   * Loads the engine; `assets` is the address of the package's folder `data`, if it is not beside the code.
   * @throws when it cannot be loaded
   */
  static async create({ assets = host().assets }: { assets?: string } = {}): Promise<Rules> {
    const module = await compile(new URL("millbrain.wasm", assets).href, host().readAsset);
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

  /**
   * What is on the board after these moves.
   * @throws {EngineError} a fault of the FEN, a move that cannot be played, or house rules that do not exist
   */
  state(rules: Ruleset, position: Position = {}): State {
    this.#setRules(rules);
    this.#demand(positionLine(position));
    return this.#module.state();
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
    const names = this.#module.missing().filter((name) => tables || !name.endsWith(".dtw"));
    for (const name of [moduleFile(threads), ...names]) await keep(new URL(name, this.#assets).href);
  }
}

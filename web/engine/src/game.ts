import { checkedRules, checkSide } from "./checks.js";
import type { Rules } from "./rules.js";
import {
  EngineError,
  type GameEnd,
  type GameFormat,
  type GameText,
  type MoveParts,
  NotationError,
  type Position,
  type Ruleset,
  type Side,
  type State,
} from "./types.js";

/** What a game begins with. */
export interface GameStart extends Ruleset {
  /** The first position; without it, the start of the variant. */
  readonly fen?: string | undefined;
  /** Names of the players, for records. */
  readonly white?: string;
  readonly black?: string;
}

/**
 * A game that is being played: it knows whose turn it is, what can be played, and how it has ended. Moves that were taken
 * back can be played again until another one is played. What is refused leaves the game as it was.
 *
 * ```js
 * const game = new Game(await Rules.create(), { variant: "morris" });
 * game.play("d6");
 * game.undo();
 * ```
 */
export class Game {
  readonly #rules: Rules;
  readonly #ruleset: Ruleset;
  readonly #fen: string | undefined;
  readonly #names: Readonly<Record<Side, string>>;
  /** All moves; those from `#at` on have been taken back. */
  #line: readonly string[] = [];
  #at = 0;
  #state: State;
  /** An end that the rules do not give, after the last move. */
  #closed: GameEnd | undefined;

  /** @throws {EngineError} a fault of the FEN, or rules that do not exist */
  constructor(rules: Rules, start: GameStart) {
    const { fen, white = "White", black = "Black" } = start;
    this.#rules = rules;
    this.#ruleset = checkedRules(start);
    this.#fen = fen;
    this.#names = { white, black };
    this.#state = rules.state(this.#ruleset, { fen });
  }

  /**
   * Reads a game as a record, SGF, a list of moves or MIF: of several games the first, of variations the main line. A list
   * of moves is played by `ruleset`.
   * @throws {NotationError} the first fault, or a text without a game
   */
  static read(rules: Rules, text: string, ruleset: Ruleset): Game {
    const [read] = rules.readGames(text, ruleset).games;
    if (read === undefined) throw new NotationError("no game, expected one");
    const game = new Game(rules, read);
    // Of those that follow the same node the first is the main line.
    for (let at = 0, next; (next = read.nodes.findIndex(({ parent }) => parent === at)) >= 0; at = next + 1) {
      game.play((read.nodes[next] as { move: string }).move);
    }
    game.#closed = game.#state.ending === null ? read.end : undefined;
    return game;
  }

  /** The rules that it is played by. */
  get ruleset(): Ruleset {
    return this.#ruleset;
  }

  /** The moves that stand on the board, first to last. */
  get moves(): readonly string[] {
    return this.#line.slice(0, this.#at);
  }

  /** First position and moves, as `Engine` and `Rules` take them. */
  get position(): Position {
    return { fen: this.#fen, moves: this.moves };
  }

  /** What is on the board. */
  get state(): State {
    return this.#state;
  }

  /** The position as a FEN, which does not know what has happened before. */
  get fen(): string {
    return this.#state.fen;
  }

  /** The side to move. */
  get turn(): Side {
    return this.#state.side;
  }

  /** How it has ended; nothing while it goes on. */
  get end(): GameEnd | null {
    const { ending } = this.#state;
    if (ending === null) return this.#closed ?? null;
    return { outcome: ending.winner ?? "draw", reason: ending.reason, termination: "normal" };
  }

  /** `1-0`, `0-1`, `1/2-1/2`, or `*` while it goes on and without a result. */
  get result(): "1-0" | "0-1" | "1/2-1/2" | "*" {
    const outcome = this.end?.outcome;
    if (outcome === undefined || outcome === "none") return "*";
    return outcome === "white" ? "1-0" : outcome === "black" ? "0-1" : "1/2-1/2";
  }

  /** The moves that can be played; none once the game has ended. */
  legalMoves(): readonly MoveParts[] {
    return this.end === null ? this.#state.moves : [];
  }

  /**
   * Plays a move, in any form that the protocol takes; what was taken back is forgotten.
   * @returns the move as the engine writes it, taken apart
   * @throws {EngineError} a move that cannot be played, and any once the game has ended
   */
  play(move: string): MoveParts {
    const { end } = this;
    if (end !== null) throw new EngineError(`the game has ended (${end.reason}), expected no move`);
    const state = this.#rules.state(this.#ruleset, { fen: this.#fen, moves: [...this.moves, move] });
    const text = this.#written(move, state);
    this.#line = [...this.moves, text];
    this.#at += 1;
    this.#state = state;
    return this.#rules.parts(this.#ruleset, text) as MoveParts;
  }

  /** The legal move that leads to a position: other forms of it are accepted, and this one is kept. */
  #written(move: string, { fen }: State): string {
    const legal = this.#state.moves;
    const same = legal.find(({ text }) => text === move);
    if (same !== undefined) return same.text;
    const leads = (text: string) =>
      this.#rules.state(this.#ruleset, { fen: this.#fen, moves: [...this.moves, text] }).fen === fen;
    return legal.find(({ text }) => leads(text))?.text ?? move;
  }

  /** Takes a move back, or the end of the game by resignation or agreement; nothing if there is none. */
  undo(): string | undefined {
    if (this.#closed !== undefined) {
      this.#closed = undefined;
      return undefined;
    }
    return this.#go(-1);
  }

  /** Plays the move again that was taken back last; nothing if there is none. */
  redo(): string | undefined {
    return this.#closed === undefined ? this.#go(1) : undefined;
  }

  #go(by: 1 | -1): string | undefined {
    const move = this.#line[by < 0 ? this.#at - 1 : this.#at];
    if (move === undefined) return undefined;
    this.#at += by;
    this.#state = this.#rules.state(this.#ruleset, this.position);
    return move;
  }

  /**
   * A side gives up: the side to move, if none is named. Nothing once the game has ended.
   * @throws {EngineError} a side that is none
   */
  resign(side: Side = this.turn): void {
    checkSide("side", side);
    const outcome = side === "white" ? "black" : "white";
    if (this.end === null) this.#closed = { outcome, reason: `${side} resigns`, termination: "resignation" };
  }

  /** The game as data: names, moves, end. */
  toText(): GameText {
    const { end, moves } = this;
    return {
      ...this.#ruleset,
      ...this.#names,
      ...(this.#fen === undefined ? {} : { fen: this.#fen }),
      nodes: moves.map((move, parent) => ({ parent, move })),
      ...(end === null ? {} : { end }),
    };
  }

  /**
   * The game as a text.
   * @throws {NotationError} for a game that the form has no place for
   */
  write(format: GameFormat): string {
    return this.#rules.writeGame(this.toText(), format);
  }
}

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

/** The start of a game. */
export interface GameStart extends Ruleset {
  /** The first position; the start of the variant by default. */
  readonly fen?: string | undefined;
  /** Names of the players, for records. */
  readonly white?: string;
  readonly black?: string;
}

/**
 * A game in progress: the side to move, the legal moves, and the end. Undone moves can be redone until another move is
 * played. A refused call leaves the game unchanged.
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
  /** All moves; those from `#at` on are undone. */
  #line: readonly string[] = [];
  #at = 0;
  #state: State;
  /** An end outside the rules, after the last move. */
  #closed: GameEnd | undefined;

  /** @throws {EngineError} a fault of the FEN, or unknown rules */
  constructor(rules: Rules, start: GameStart) {
    const { fen, white = "White", black = "Black" } = start;
    this.#rules = rules;
    this.#ruleset = checkedRules(start);
    this.#fen = fen;
    this.#names = { white, black };
    this.#state = rules.state(this.#ruleset, { fen });
  }

  /**
   * Reads a game as a record, SGF, a list of moves or MIF: the first of several games, the main line of variations. A
   * list of moves uses the rules of `ruleset`.
   * @throws {NotationError} the first fault, or a text without a game
   */
  static read(rules: Rules, text: string, ruleset: Ruleset): Game {
    const [read] = rules.readGames(text, ruleset).games;
    if (read === undefined) throw new NotationError("no game, expected one");
    const game = new Game(rules, read);
    // The first of several nodes with the same parent is the main line.
    for (let at = 0, next; (next = read.nodes.findIndex(({ parent }) => parent === at)) >= 0; at = next + 1) {
      game.play((read.nodes[next] as { move: string }).move);
    }
    game.#closed = game.#state.ending === null ? read.end : undefined;
    return game;
  }

  /** The rules of the game. */
  get ruleset(): Ruleset {
    return this.#ruleset;
  }

  /** The moves on the board, first to last. */
  get moves(): readonly string[] {
    return this.#line.slice(0, this.#at);
  }

  /** First position and moves, in the form for `Engine` and `Rules`. */
  get position(): Position {
    return { fen: this.#fen, moves: this.moves };
  }

  /** The state of the board. */
  get state(): State {
    return this.#state;
  }

  /** The position as a FEN, without its history. */
  get fen(): string {
    return this.#state.fen;
  }

  /** The side to move. */
  get turn(): Side {
    return this.#state.side;
  }

  /** The end of the game; `null` while it is in progress. */
  get end(): GameEnd | null {
    const { ending } = this.#state;
    if (ending === null) return this.#closed ?? null;
    return { outcome: ending.winner ?? "draw", reason: ending.id, termination: "normal" };
  }

  /** `1-0`, `0-1`, `1/2-1/2`, or `*` for a game in progress or without a result. */
  get result(): "1-0" | "0-1" | "1/2-1/2" | "*" {
    const outcome = this.end?.outcome;
    if (outcome === undefined || outcome === "none") return "*";
    return outcome === "white" ? "1-0" : outcome === "black" ? "0-1" : "1/2-1/2";
  }

  /** Returns the legal moves; none after the end of the game. */
  legalMoves(): readonly MoveParts[] {
    return this.end === null ? this.#state.moves : [];
  }

  /**
   * Plays a move, in any form that the protocol accepts; undone moves are dropped.
   * @returns the parts of the move as the engine writes it
   * @throws {EngineError} an illegal move, and any move after the end of the game
   */
  play(move: string): MoveParts {
    const { end } = this;
    if (end !== null) {
      const reason = this.#state.ending?.reason ?? (end.reason || end.termination);
      throw new EngineError(`the game has ended (${reason}), expected no move`);
    }
    const state = this.#rules.state(this.#ruleset, { fen: this.#fen, moves: [...this.moves, move] });
    const text = this.#written(move, state);
    this.#line = [...this.moves, text];
    this.#at += 1;
    this.#state = state;
    return this.#rules.parts(this.#ruleset, text) as MoveParts;
  }

  /** Returns the canonical text of the legal move that leads to a position; other forms are accepted as input. */
  #written(move: string, { fen }: State): string {
    const legal = this.#state.moves;
    const same = legal.find(({ text }) => text === move);
    if (same !== undefined) return same.text;
    const leads = (text: string) =>
      this.#rules.state(this.#ruleset, { fen: this.#fen, moves: [...this.moves, text] }).fen === fen;
    return legal.find(({ text }) => leads(text))?.text ?? move;
  }

  /** Undoes a move, or the end of the game by resignation or agreement; returns `undefined` if there is no move. */
  undo(): string | undefined {
    if (this.#closed !== undefined) {
      this.#closed = undefined;
      return undefined;
    }
    return this.#go(-1);
  }

  /** Redoes the move undone last; returns `undefined` if there is none. */
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
   * Resigns for a side, by default the side to move. Does nothing after the end of the game.
   * @throws {EngineError} an invalid side
   */
  resign(side: Side = this.turn): void {
    checkSide("side", side);
    const outcome = side === "white" ? "black" : "white";
    if (this.end === null) this.#closed = { outcome, reason: "", termination: "resignation" };
  }

  /** Returns the game as data: names, moves, end. */
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
   * Writes the game as a text.
   * @throws {NotationError} for a game that the form cannot express
   */
  write(format: GameFormat): string {
    return this.#rules.writeGame(this.toText(), format);
  }
}

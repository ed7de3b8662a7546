import type { MoveParts, Position, Ruleset, State } from "millbrain";
import { rules } from "../engine/rules.js";

/** The goal of a move, which the rules check. All given conditions must hold. */
export interface Goal {
  /** It ends on one of these points. */
  readonly to?: readonly string[];
  /** It places a new stone. */
  readonly places?: true;
  /** It takes a piece. */
  readonly takes?: true;
  /** It ends the game with a win. */
  readonly wins?: true;
  /** It promotes the moving piece to another kind. */
  readonly promotes?: true;
  /** No reply takes a piece. */
  readonly safe?: true;
  /** No reply wins. */
  readonly survives?: true;
  /** After every reply there is a move that takes, or one that wins. */
  readonly forces?: "takes" | "wins";
}

/** Whether a move takes a piece: it names one, or moves onto one. */
export function takes({ to, taken }: MoveParts, { pieces }: State): boolean {
  return taken.length > 0 || pieces.some(({ point }) => point === to);
}

const after = (ruleset: Ruleset, { fen, moves = [] }: Position, move: string): [Position, State] => {
  const position = { fen, moves: [...moves, move] };
  return [position, rules().state(ruleset, position)];
};

/** Whether the side that has just moved has won. */
const isWon = (state: State) => state.ending?.winner != null && state.ending.winner !== state.side;

/** Returns the replies with which the opponent succeeds. */
export function answers(ruleset: Ruleset, position: Position, wanted: "takes" | "wins"): string[] {
  const state = rules().state(ruleset, position);
  if (state.ending) return [];
  const does = (move: MoveParts) =>
    wanted === "takes" ? takes(move, state) : isWon(after(ruleset, position, move.text)[1]);
  return state.moves.filter(does).map(({ text }) => text);
}

/**
 * Whether the last move of a position meets a goal.
 * @throws {EngineError} for an invalid position, or one without moves
 */
export function isMet(goal: Goal, ruleset: Ruleset, position: Position): boolean {
  const played = position.moves ?? [];
  const last = played.at(-1) ?? "";
  const before = rules().state(ruleset, { fen: position.fen, moves: played.slice(0, -1) });
  const now = rules().state(ruleset, position);
  const move = before.moves.find(({ text }) => text === last);
  if (move === undefined) return false;
  const kindAt = (state: State, point: string | undefined) =>
    state.pieces.find((piece) => piece.point === point)?.kind;
  if (goal.to && !goal.to.includes(move.to)) return false;
  if (goal.places && move.from !== undefined) return false;
  if (goal.takes && !takes(move, before)) return false;
  if (goal.wins && !isWon(now)) return false;
  if (goal.promotes && kindAt(before, move.from) === kindAt(now, move.to)) return false;
  if (goal.safe && answers(ruleset, position, "takes").length > 0) return false;
  if (goal.survives && answers(ruleset, position, "wins").length > 0) return false;
  if (goal.forces === undefined) return true;
  const wanted = goal.forces;
  return (
    now.ending === null &&
    now.moves.every(({ text }) => answers(ruleset, after(ruleset, position, text)[0], wanted).length > 0)
  );
}

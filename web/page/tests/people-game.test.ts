import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { leaf, moves, ROOT } from "../src/game/tree.js";
import { PeopleGame } from "../src/people/game.svelte.js";
import type { Act, GameState } from "../src/people/wire.js";

vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["en"] }));

beforeAll(() => loadRules());

/** A server's state of a game, and its reaction to requests. */
class Server {
  moves: string[] = [];
  stage: GameState["stage"] = "playing";
  readonly acts: Act[] = [];

  get state(): GameState {
    const turn = this.moves.length % 2 === 0 ? "white" : "black";
    return {
      game: "0123456789ab",
      variant: "morris",
      rules: "",
      clock: null,
      stage: this.stage,
      names: { white: "Ann", black: "Bo" },
      plies: this.moves.length,
      turn,
      clocks: null,
      running: null,
      until: 1,
      offers: { draw: null, takeback: null, rematch: null },
      there: { white: true, black: true },
      ...(this.stage === "over" ? { result: "1-0", reason: "resigned", termination: "resignation" } : {}),
      next: null,
      record: null,
      moves: [...this.moves],
      spectators: 0,
    };
  }

  /** Returns any legal move. */
  legal(seed: number): string | undefined {
    const { moves, ending } = rules().state({ variant: "morris" }, { moves: this.moves });
    return ending ? undefined : moves[seed % moves.length]?.text;
  }

  /** Plays the waiting move; returns whether it was one of this position. */
  take(): boolean {
    const act = this.acts.shift();
    if (act?.do !== "move" || act.ply !== this.moves.length || this.stage !== "playing") return false;
    this.moves.push(act.move);
    return true;
  }
}

const STEPS = ["play", "answer", "presence", "opponent", "takeback", "back", "on", "look", "resign"] as const;

test("the board shows what the server has, and one's own move on its way", () => {
  const property = fc.property(
    fc.constantFrom("white", "black" as const),
    fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(1000)), { minLength: 1, maxLength: 60 }),
    (side, steps) => {
      const server = new Server();
      const board = new PeopleGame(server.state, side, (act) => void server.acts.push(act));
      const see = () => board.see(server.state, side);
      for (const [step, seed] of steps) {
        const wasAtEnd = board.isAtEnd;
        if (step === "play") {
          const move = board.legal[seed % Math.max(1, board.legal.length)]?.text;
          if (move !== undefined) board.play(move);
        } else if (step === "answer" && server.acts.length > 0) {
          if (server.take()) see();
          else {
            see();
            board.refuse();
          }
        } else if (step === "presence") see();
        // By then the server has read all earlier messages.
        else if (
          step === "opponent" &&
          server.acts.length === 0 &&
          server.stage === "playing" &&
          server.state.turn !== side
        ) {
          const move = server.legal(seed);
          if (move !== undefined) server.moves.push(move);
          see();
        } else if (step === "takeback" && server.stage === "playing") {
          server.moves.splice(Math.max(0, server.moves.length - 1 - (seed % 2)));
          see();
        } else if (step === "back") board.step(-1);
        else if (step === "on") board.step(1);
        else if (step === "look") board.goto(seed % board.tree.nodes.length);
        else if (step === "resign" && seed % 10 === 0) {
          server.stage = "over";
          see();
        }

        const shown = moves(board.tree, leaf(board.tree, ROOT));
        const [act] = server.acts;
        const isUnderWay =
          act?.do === "move" && server.stage === "playing" && act.ply === server.moves.length;
        expect(shown).toEqual(isUnderWay ? [...server.moves, act.move] : server.moves);
        // A move is sent once, until there is news of it.
        expect(
          server.acts.filter((act) => act.do === "move" && act.ply === server.moves.length).length,
        ).toBeLessThan(2);
        const isOwnTurn = server.stage === "playing" && server.state.turn === side && !isUnderWay;
        expect(board.isMine).toBe(isOwnTurn);
        expect(board.canMove).toBe(isOwnTurn && board.at === shown.length);
        // A user at the end follows the game, and one who looks back is not moved.
        if (wasAtEnd && !["back", "look"].includes(step)) expect(board.isAtEnd).toBe(true);
        // The opponent's moves are heard, the user's own are not.
        const mover = shown.length % 2 === 1 ? "white" : "black";
        const isHeard = shown.length > 0 && mover !== side;
        expect(board.spoken).toEqual(isHeard ? { move: shown.at(-1), side: mover } : undefined);
        expect(board.closed !== undefined).toBe(server.stage === "over");
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test("answers are prepared on the board by moves of both sides, and none of them is sent", () => {
  const server = new Server();
  server.moves = ["d6"];
  const acts = server.acts;
  const board = new PeopleGame(server.state, "white", (act) => void acts.push(act));
  expect([board.canPlan, board.canMove]).toEqual([true, false]);
  board.planAhead();
  for (const point of ["f4", "d2"]) board.click(point);
  // From there one step further, without an answer; and another reply with its own.
  board.click("b4");
  board.goto(1);
  for (const point of ["a7", "d7"]) board.click(point);
  expect(acts).toEqual([]);
  const lines = [
    ["f4", "d2"],
    ["a7", "d7"],
  ];
  expect(board.lines).toEqual(lines);
  board.endPlan(board.lines);
  expect(acts).toEqual([{ do: "plan", game: "0123456789ab", ply: 1, lines }]);
  expect([moves(board.tree, leaf(board.tree, ROOT)), board.canMove]).toEqual([["d6"], false]);
  // The server's plan is the beginning of the next one, and news about the players do not end it.
  board.see(server.state, "white", lines);
  board.planAhead();
  board.see(server.state, "white", lines);
  expect([board.isPlanning, board.lines]).toEqual([true, lines]);
  // A move of the opponent does: here the server has played the answer to it.
  server.moves = ["d6", "f4", "d2"];
  board.see(server.state, "white", []);
  expect([board.isPlanning, moves(board.tree, board.at)]).toEqual([false, server.moves]);
  expect(board.spoken).toBeUndefined();
});

test("a click while one looks back leads to the last position", () => {
  const server = new Server();
  server.moves = ["d6", "f4"];
  const board = new PeopleGame(server.state, "white", (act) => void server.acts.push(act));
  board.step(-1);
  expect(board.canMove).toBe(false);
  board.click("a1");
  expect([board.isAtEnd, server.acts]).toEqual([true, []]);
  board.click("d6");
  expect(board.refused?.key).toBe("refused.hand");
  board.click("a1");
  expect(server.acts).toEqual([{ do: "move", game: "0123456789ab", ply: 2, move: "a1" }]);
  board.click("d7");
  expect(board.refused?.key).toBe("refused.turn");
  expect(server.acts).toHaveLength(1);
});

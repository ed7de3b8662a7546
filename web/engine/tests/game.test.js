// Games in progress: moves, undoing, ends, and texts in and out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineError, Game, NotationError, Rules } from "millbrain";

const rules = await Rules.create();
const variants = rules.variants().map(({ name }) => name);

/** Plays deterministic random moves, to the end or up to a limit. */
function play(game, most = 400, seed = 1) {
  for (let ply = 0; ply < most && game.end === null; ply++) {
    seed = (seed * 48271) % 0x7fffffff;
    const moves = game.legalMoves();
    game.play(moves[seed % moves.length].text);
  }
  return game;
}

for (const variant of variants) {
  test(`${variant}: a game to its end, back and on again, and through every form`, () => {
    const game = play(new Game(rules, { variant, white: "Anna", black: "Bela" }));
    assert.notEqual(game.result, "*");
    assert.deepEqual(game.legalMoves(), []);
    assert.throws(() => game.play("d6"), EngineError);
    const { moves, fen, end } = game;
    for (const move of moves.toReversed()) assert.equal(game.undo(), move);
    assert.equal(game.undo(), undefined);
    assert.equal(game.fen, new Game(rules, { variant }).fen);
    assert.equal(game.result, "*");
    for (const move of moves) assert.equal(game.redo(), move);
    assert.equal(game.redo(), undefined);
    assert.deepEqual([game.moves, game.fen, game.end], [moves, fen, end]);

    const { variant: its } = game.ruleset;
    for (const format of ["record", "sgf", "sanmill", "mif"]) {
      let text;
      try {
        text = game.write(format);
      } catch (error) {
        // Some forms support only one family.
        assert(error instanceof NotationError && format !== "record", `${format}: ${error}`);
        continue;
      }
      const read = Game.read(rules, text, { variant: its });
      assert.deepEqual([read.moves, read.fen, read.result], [moves, fen, game.result], format);
    }
  });
}

test("another move forgets those that were taken back, and a refused one changes nothing", () => {
  const game = new Game(rules, { variant: "morris" });
  game.play("d6");
  game.play("f4");
  game.undo();
  assert.throws(() => game.play("d6"), EngineError);
  assert.equal(game.redo(), "f4");
  game.undo();
  game.play("a1");
  assert.equal(game.redo(), undefined);
  assert.deepEqual(game.moves, ["d6", "a1"]);
  assert.throws(() => new Game(rules, { variant: "morris", fen: "8/8 w" }), EngineError);
  assert.throws(() => new Game(rules, { variant: "chess" }), EngineError);
});

test("a move in another form is kept as the engine writes it", () => {
  const game = play(new Game(rules, { variant: "morris" }), 18);
  const slide = game.legalMoves().find(({ from, taken }) => from !== undefined && taken.length === 0);
  assert.equal(game.play(`${slide.from}-${slide.to}`).text, slide.text);
  assert.equal(game.moves.at(-1), slide.text);
});

test("whoever resigns has lost, until it is taken back", () => {
  const game = play(new Game(rules, { variant: "smess" }), 3);
  assert.equal(game.turn, "black");
  game.resign();
  assert.deepEqual([game.result, game.end.termination], ["1-0", "resignation"]);
  const read = Game.read(rules, game.write("record"), game.ruleset);
  assert.deepEqual([read.result, read.end.termination], ["1-0", "resignation"]);
  game.undo();
  assert.equal(game.result, "*");
  assert.equal(game.moves.length, 3);
});

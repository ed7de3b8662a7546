import "../dist/index.js";
import { boards } from "./boards.js";

const board = (id) => document.getElementById(id);

/** Returns the pieces after a move, as code that knows the rules would. */
function after(pieces, { from, to, taken }, side, kind) {
  const mover = pieces.find(({ point }) => point === from) ?? { side, kind };
  const left = pieces.filter(({ point }) => point !== from && point !== to && !taken.includes(point));
  return [...left, { ...mover, point: to }];
}

for (const [id, data] of Object.entries(boards)) {
  Object.assign(board(id), data);
  board(id).addEventListener("board-move", ({ detail: move }) => {
    const { pieces, side, layout } = board(id);
    Object.assign(board(id), {
      pieces: after(pieces, move, side, layout.kinds.at(-1).id),
      last: move,
      moves: [],
    });
    if (id === "morris") document.getElementById("played").textContent = `Played: ${move.text}.`;
  });
}

board("smess").arrows = [{ move: boards.smess.moves[0], tone: "hint", rank: 1 }];
board("smess").badges = new Map([
  [boards.smess.moves[0].from, { text: "+9", tone: "won", label: "won in 9" }],
  [boards.smess.moves.at(-1).from, { text: "=", tone: "drawn", label: "drawn" }],
]);

// Three Men's Morris: three by three points, eight lines.
const names = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"];
const lines = ["036", "147", "258", "012", "345", "678", "048", "246"].map((line) =>
  [...line].map((i) => names[i]),
);
const layout = {
  points: names.map((name, i) => ({ name, x: i % 3, y: Math.floor(i / 3) })),
  squares: false,
  lines,
  steps: lines.flatMap(([a, b, c]) => [
    [a, b],
    [b, c],
  ]),
  arrows: [],
  marked: [],
  kinds: [{ id: "stone" }],
};
const slate = board("slate");
slate.layout = layout;
const place = () => {
  const free = names.filter((name) => !slate.pieces.some(({ point }) => point === name));
  slate.moves = slate.pieces.length < 6 ? free.map((to) => ({ text: to, to, taken: [] })) : [];
};
place();
slate.addEventListener("board-move", ({ detail: move }) => {
  const { side } = slate;
  slate.pieces = [...slate.pieces, { point: move.to, side, kind: "stone" }];
  slate.last = move;
  slate.side = side === "white" ? "black" : "white";
  place();
});

const editor = board("editor");
Object.assign(editor, { layout: boards.morris.layout, pieces: boards.morris.pieces });
editor.addEventListener("board-point", ({ detail: { point } }) => {
  const there = editor.pieces.find((piece) => piece.point === point)?.side;
  const next = { undefined: "white", white: "black" }[there];
  const others = editor.pieces.filter((piece) => piece.point !== point);
  editor.pieces = next ? [...others, { point, side: next, kind: "stone" }] : others;
});

const { layout: morris, pieces } = boards.morris;
Object.assign(board("picture"), { layout: morris, pieces });

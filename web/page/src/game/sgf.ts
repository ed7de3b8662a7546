import { type Side, type Variant, VARIANTS } from "millbrain";
import { emptyTree, nodeOf, play, ROOT, type Tree } from "./tree.js";
import type { GameText, Outcome } from "./text.js";
import { readOptions, writeOptions } from "./variants.js";

/**
 * SGF for the morris family. The standard gives the game the number 5 (`GM[5]`) and leaves the moves to us:
 *
 * - `W[..]`, `B[..]`: a move in the engine's notation, `d6`, `a4a7`, `d6xb4` or `a4a7xg1`, on points named a1 to g7.
 * - `RU[..]`: the variant and, after semicolons, the house rules: `RU[morris;Flying=false]`.
 * - A game from a position: `AW` and `AB` list the stones for other readers, `PL` is the side to move, and the private
 *   property `XF` has the engine's FEN, which is what we read, because only it has the stones in hand.
 * - `RE[W+]`, `RE[B+R]` (resigned), `RE[0]` (draw), `RE[?]`; `N` on the root is the reason.
 * - Variations are those of SGF: the first one is the main line.
 */
export function writeSgf(game: GameText, tree: Tree): string {
  const blackFirst = game.fen?.split(/\s+/)[1] === "b";
  const result =
    game.outcome === undefined
      ? "?"
      : game.outcome === "draw"
        ? "0"
        : `${game.outcome === "white" ? "W" : "B"}+${game.resigned ? "R" : ""}`;
  const house = writeOptions(game.options);
  let text = `(;FF[4]GM[5]CA[UTF-8]AP[millbrain]RU[${escape(game.variant + (house && `;${house}`))}]`;
  text += `PW[${escape(game.white)}]PB[${escape(game.black)}]RE[${result}]`;
  if (game.reason) text += `N[${escape(game.reason)}]`;
  if (game.fen !== undefined)
    text += `XF[${escape(game.fen)}]PL[${blackFirst ? "B" : "W"}]${stones(game.fen)}`;
  const write = (id: number, isBlack: boolean): string => {
    const { children } = nodeOf(tree, id);
    const lines = children.map((child) => {
      const node = nodeOf(tree, child);
      return `;${isBlack ? "B" : "W"}[${node.move}]${write(child, !isBlack)}`;
    });
    return lines.length === 1 ? (lines[0] as string) : lines.map((line) => `\n(${line})`).join("");
  };
  return `${text}${write(ROOT, blackFirst)})\n`;
}

const escape = (text: string) => text.replace(/[\]\\]/g, "\\$&");

const POINTS = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split(" ");

function stones(fen: string): string {
  const cells = (fen.split(" ")[0] ?? "").replaceAll("/", "").replace(/\d/g, (n) => ".".repeat(Number(n)));
  const list = (letter: string) => POINTS.filter((_, i) => cells[i] === letter).map((point) => `[${point}]`);
  const [white, black] = [list("O").join(""), list("X").join("")];
  return (white && `AW${white}`) + (black && `AB${black}`);
}

type Properties = Map<string, string[]>;

/** Reads the first game of an SGF file with its variations. */
export function readSgf(text: string): { game: GameText; tree: Tree } {
  let at = 0;
  const fail = (expected: string): never => {
    throw new Error(`SGF, character ${at + 1}: expected ${expected}`);
  };
  const space = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const value = (): string => {
    let result = "";
    for (at++; text[at] !== "]"; at++) {
      if (at >= text.length) fail("]");
      if (text[at] === "\\") at++;
      result += text[at] ?? "";
    }
    at++;
    return result;
  };
  const node = (): Properties => {
    const properties: Properties = new Map();
    at++;
    for (space(); /[A-Za-z]/.test(text[at] ?? ""); space()) {
      const from = at;
      while (/[A-Za-z]/.test(text[at] ?? "")) at++;
      const name = text.slice(from, at).replace(/[a-z]/g, "");
      const values: string[] = [];
      for (space(); text[at] === "["; space()) values.push(value());
      if (values.length === 0) fail("[");
      properties.set(name, [...(properties.get(name) ?? []), ...values]);
    }
    return properties;
  };
  let root: Properties | undefined;
  let tree = emptyTree();
  const branch = (parent: number): void => {
    if (text[at] !== "(") fail("(");
    at++;
    let here = parent;
    for (space(); text[at] === ";"; space()) {
      const properties = node();
      root ??= properties;
      const move = properties.get("W")?.[0] ?? properties.get("B")?.[0];
      if (move !== undefined && move !== "")
        [tree, here] = play(tree, here, move.toLowerCase().replace("-", ""));
    }
    for (; text[at] === "("; space()) branch(here);
    if (text[at] !== ")") fail(")");
    at++;
  };
  space();
  branch(ROOT);
  const get = (name: string) => root?.get(name)?.[0];
  const gm = get("GM");
  if (gm !== undefined && gm !== "5") throw new Error(`SGF: game number ${gm}, expected 5`);
  const [name = "", ...house] = (get("RU") ?? "morris").split(";");
  const variant: Variant = VARIANTS.find((known) => known === name.trim().toLowerCase()) ?? "morris";
  const result = get("RE") ?? "?";
  const outcome = ({ W: "white", B: "black", "0": "draw", D: "draw" } as Record<string, Outcome>)[
    result[0] ?? ""
  ];
  const fen = get("XF");
  const main: string[] = [];
  for (let id = nodeOf(tree, ROOT).children[0]; id !== undefined; id = nodeOf(tree, id).children[0]) {
    main.push(nodeOf(tree, id).move);
  }
  const resigned: Side | undefined =
    /\+R/i.test(result) && outcome !== "draw" ? (outcome === "white" ? "black" : "white") : undefined;
  return {
    tree,
    game: {
      variant,
      options: readOptions(variant, house.join(";")),
      white: get("PW") ?? "",
      black: get("PB") ?? "",
      moves: main.map((move) => ({ move })),
      ...(fen === undefined ? {} : { fen }),
      ...(outcome === undefined ? {} : { outcome, reason: get("N") ?? "" }),
      ...(resigned === undefined ? {} : { resigned }),
    },
  };
}

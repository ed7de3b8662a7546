import type { Piece, Ruleset, Side } from "millbrain";
import { rules } from "../engine/rules.js";
import { Fault, quoted } from "./fault.js";
import { readMove } from "./moves.js";
import { emptyTree, nodeOf, path, play, ROOT, type Tree } from "./tree.js";
import {
  type GameEnd,
  type GameText,
  other,
  resignation,
  resigned,
  type Termination,
  TERMINATIONS,
} from "./text.js";
import { readOptions, ruleset, variantInfo, writeOptions } from "./variants.js";

/**
 * SGF for the morris family. The standard gives the game the number 5 (`GM[5]`) and leaves the moves to us:
 *
 * - `W[..]`, `B[..]`: a move in the engine's notation, `d6`, `a4a7`, `d6xb4` or `a4a7xg1`, on points named a1 to g7.
 * - `RU[..]`: the variant and, after semicolons, the house rules: `RU[morris;Flying=false]`.
 * - A game from a position: `AW` and `AB` list the stones for other readers, `PL` is the side to move, and the private
 *   property `XF` has the engine's FEN, which is what we read, because only it has the stones in hand.
 * - `RE[W+]`, `RE[B+R]` (resigned), `RE[B+T]` (on time), `RE[B+F]` (otherwise forfeited), `RE[0]` (draw), `RE[?]`; `N`
 *   on the root is the reason, and the private property `XT` says what has ended a game that the rules have not.
 * - Variations are those of SGF: the first one is the main line.
 */
export function writeSgf(game: GameText, tree: Tree): string {
  const start = rules().state(ruleset(game.variant, game.options), { fen: game.fen });
  const blackFirst = start.side === "black";
  const house = writeOptions(game.options);
  let text = `(;FF[4]GM[5]CA[UTF-8]AP[millbrain]RU[${escape(game.variant + (house && `;${house}`))}]`;
  text += `PW[${escape(game.white)}]PB[${escape(game.black)}]RE[${result(game.end)}]`;
  if (game.end?.reason) text += `N[${escape(game.end.reason)}]`;
  if (game.end && game.end.termination !== "normal") text += `XT[${game.end.termination}]`;
  if (game.fen !== undefined)
    text += `XF[${escape(game.fen)}]PL[${blackFirst ? "B" : "W"}]${stones(start.pieces)}`;
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

function result(end: GameEnd | undefined): string {
  if (end === undefined) return "?";
  if (end.outcome === "draw") return "0";
  const how = resigned(end.reason) ? "R" : HOW[end.termination];
  return `${end.outcome === "white" ? "W" : "B"}+${how}`;
}

const HOW: Record<Termination, string> = {
  normal: "",
  adjudication: "",
  "time forfeit": "T",
  "illegal move": "F",
  crash: "F",
  stall: "F",
};

/** The inverse; what other programs leave out is taken from the letter. */
function readEnd(result: string, reason: string, termination: string | undefined): { end?: GameEnd } {
  const [, letter = "", how = ""] = /^([WB0D])[^+]*\+?(.?)/i.exec(result.trim().toUpperCase()) ?? [];
  const outcome = ({ W: "white", B: "black", "0": "draw", D: "draw" } as const)[letter];
  if (outcome === undefined) return {};
  const known = TERMINATIONS.find((name) => name === termination);
  if (how === "R" && outcome !== "draw" && known === undefined) return { end: resignation(other(outcome)) };
  const told = ({ T: "time forfeit", F: "adjudication" } as const)[how] ?? "normal";
  return { end: { outcome, reason, termination: known ?? told } };
}

const escape = (text: string) => text.replace(/[\]\\]/g, "\\$&");

function stones(pieces: readonly Piece[]): string {
  const list = (side: Side) =>
    pieces
      .filter((piece) => piece.side === side)
      .map(({ point }) => `[${point}]`)
      .join("");
  const [white, black] = [list("white"), list("black")];
  return (white && `AW${white}`) + (black && `AB${black}`);
}

type Properties = Map<string, string[]>;

/**
 * The rules that the first node of a game tells.
 * @throws {Fault} when the game is another one
 */
function rulesOf(root: Properties): Ruleset {
  const gm = root.get("GM")?.[0];
  if (gm !== undefined && gm !== "5") throw new Fault("fault.sgfGame", { text: quoted(gm) });
  const [name = "", ...house] = (root.get("RU")?.[0] ?? "morris").split(";");
  const variant = variantInfo(name.trim().toLowerCase())?.name ?? "morris";
  return ruleset(variant, readOptions(variant, house.join(";")));
}

/** Reads the first game of an SGF file with its variations. */
export function readSgf(text: string): { game: GameText; tree: Tree } {
  let at = 0;
  const fail = (expected: string): never => {
    throw new Fault("fault.sgf", { at: at + 1, expected });
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
  let own: Ruleset = { variant: "morris" };
  let tree = emptyTree();
  const branch = (parent: number): void => {
    if (text[at] !== "(") fail("(");
    at++;
    let here = parent;
    for (space(); text[at] === ";"; space()) {
      const properties = node();
      if (root === undefined) own = rulesOf((root = properties));
      const move = properties.get("W")?.[0] ?? properties.get("B")?.[0];
      if (move !== undefined && move !== "")
        [tree, here] = play(tree, here, readMove(move, path(tree, here).length + 1, own));
    }
    for (; text[at] === "("; space()) branch(here);
    if (text[at] !== ")") fail(")");
    at++;
  };
  space();
  branch(ROOT);
  const get = (name: string) => root?.get(name)?.[0];
  const fen = get("XF");
  const main: string[] = [];
  for (let id = nodeOf(tree, ROOT).children[0]; id !== undefined; id = nodeOf(tree, id).children[0]) {
    main.push(nodeOf(tree, id).move);
  }
  return {
    tree,
    game: {
      variant: own.variant,
      options: own.options ?? {},
      white: get("PW") ?? "",
      black: get("PB") ?? "",
      moves: main.map((move) => ({ move })),
      ...(fen === undefined ? {} : { fen }),
      ...readEnd(get("RE") ?? "?", get("N") ?? "", get("XT")),
    },
  };
}

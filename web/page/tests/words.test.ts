import type { Fact, Rules, Ruleset, State } from "millbrain";
import { beforeAll, expect, test, vi } from "vitest";
import { choice, describe } from "@millbrain/board/model";
import { boardWords } from "../src/board/words.js";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { Fault, quoted } from "../src/game/fault.js";
import { resignation, TERMINATIONS } from "../src/game/text.js";
import { de } from "../src/i18n/de.js";
import type { Key } from "../src/i18n/en.js";
import { fill, type Values } from "../src/i18n/fill.js";
import { loadLanguage } from "../src/i18n/index.svelte.js";
import { faultText, faultTexts, REFUSALS } from "../src/texts/faults.js";
import {
  arrivalText,
  dateText,
  dueText,
  endText,
  factText,
  known,
  levelName,
  moveSaid,
  moveText,
  outcomeText,
  playerText,
  reasonText,
  short,
  variantName,
} from "../src/texts/words.js";

// German, because the engine's own messages are English: a missing translation would go unnoticed.
vi.hoisted(() => vi.stubGlobal("navigator", { languages: ["de"] }));

let rules: Rules;
beforeAll(async () => {
  await Promise.all([loadRules(), loadLanguage()]);
  rules = engineRules();
});

const MORRIS: Ruleset = { variant: "morris" };

const german = (key: Key, values: Values = {}) => fill(de[key], values, "de");

test("values are filled in, and the form for their number is taken", () => {
  expect(fill("{a} and {b} and {a}{c}", { a: 1, b: "two" }, "en")).toBe("1 and two and 1");
  const forms = (n: number) => fill("{n} one|{n} few|{n} other", { n }, "sk");
  expect([1, 2, 4, 5, 0].map(forms)).toEqual(["1 one", "2 few", "4 few", "5 other", "0 other"]);
  expect(fill("one|other", { n: 2 }, "sk")).toBe("other");
  expect(fill("one|other", { n: 2 }, "en")).toBe("other");
  expect(fill("one|other", { n: 1 }, "en")).toBe("one");
});

test("what has come of a file is told in megabytes, where all of it is known", () => {
  const of = (received: number, total?: number) =>
    arrivalText("packComing", { file: "a.pack", received, total, isOver: false });
  expect(of(950_001, 1_378_647)).toBe(german("packComing", { received: "1,0", total: "1,4" }));
  expect(of(0, 40_000)).toBe(german("packComing", { received: "0,0", total: "0,0" }));
  expect([of(5), arrivalText("engineComing", undefined)]).toEqual(["", ""]);
});

test("what is wrong with a move is told in words, with its moves as they are read", () => {
  const told = (fact: Fact) => factText(fact, MORRIS);
  expect(told({ kind: "missedTake", better: "a4a7xg1" })).toBe("a4–a7 ×g1 hätte eine Figur geschlagen.");
  expect(told({ kind: "allowsTake", better: "d6", reply: "g7xd1" })).toBe(
    "Der Gegner kann jetzt mit g7 ×d1 schlagen; d6 hätte das verhindert.",
  );
  expect(told({ kind: "gaveUpWin", plies: 1 })).toBe("Das verschenkt einen Gewinn in 1 Halbzug.");
  expect(told({ kind: "gaveUpDraw", plies: null })).toBe("Das macht aus einem Remis einen Verlust.");
  expect(told({ kind: "missedWin", better: "d6", plies: 3 })).toBe("d6 hätte in 3 Halbzügen gewonnen.");
  expect(told({ kind: "allowsWin", plies: 1 })).toBe("Der Gegner kann jetzt in 1 Halbzug gewinnen.");
  expect(told({ kind: "winsAtOnce", better: "d6" })).toBe("d6 gewinnt sofort.");
});

test("moves are read and heard", () => {
  expect(["d6", "a4a7", "d6xb4", "a4a7xg1"].map((move) => moveText(move, MORRIS))).toEqual([
    "d6",
    "a4–a7",
    "d6 ×b4",
    "a4–a7 ×g1",
  ]);
  expect(moveText("a2b3", { variant: "smess" })).toBe("a2–b3");
  expect(moveSaid("d6", "white", MORRIS)).toBe("Weiß setzt auf d6");
  expect(moveSaid("a4a7", "black", MORRIS)).toBe("Schwarz zieht von a4 nach a7");
  expect(moveSaid("d6xb4", "black", MORRIS)).toBe("Schwarz setzt auf d6 und nimmt b4");
  // A text that is not a move is shown unchanged.
  expect([moveText("castles", MORRIS), moveSaid("castles", "white", MORRIS)]).toEqual(["castles", "castles"]);
});

test("a moment is told in the language, with its date and its time", () => {
  const text = dateText(new Date(2024, 4, 17, 16, 5).getTime());
  expect(text).toMatch(/17.*2024.*16:05/);
  expect(text).not.toMatch(/:05:/);
});

test("ends are told by their reason, or by what has happened to a program", () => {
  expect(reasonText(resignation("white"))).toBe("Weiß hat aufgegeben");
  // As in records of matches and games between people.
  const resigned = { reason: "resigned", termination: "adjudication" } as const;
  expect(endText({ ...resigned, outcome: "white" }).reason).toBe("Schwarz hat aufgegeben");
  expect(reasonText(resigned)).toBe(de["termination.adjudication"]);
  const silent = { reason: "", outcome: "black" } as const;
  expect(reasonText({ ...silent, termination: "resignation" })).toBe("Weiß hat aufgegeben");
  expect(endText({ outcome: "none", reason: "", termination: "abandoned" })).toEqual({
    title: "Ohne Ergebnis",
    reason: "die Partie wurde abgebrochen",
  });
  expect(endText({ outcome: "black", reason: "rain", termination: "adjudication" }, "white").title).toBe(
    "Du hast verloren",
  );
  expect(reasonText({ reason: "no legal move", termination: "normal" })).toBe("kein Zug möglich");
  expect(reasonText({ reason: "too many moves", termination: "adjudication" })).toBe("zu viele Züge");
  for (const termination of TERMINATIONS) {
    const told = reasonText({ reason: "A was 3 ms late", termination });
    expect(told).toBe(termination === "normal" ? "A was 3 ms late" : de[`termination.${termination}`]);
  }
  const reason = "no legal move";
  expect(endText({ outcome: "draw", reason, termination: "normal" })).toEqual({
    title: "Remis",
    reason: "kein Zug möglich",
  });
  expect(endText({ outcome: "black", reason, termination: "normal" }).title).toBe("Schwarz gewinnt");
  expect([known("reason.too many moves"), known("reason.rain")]).toEqual([
    "reason.too many moves",
    undefined,
  ]);
});

test("what is due is told for each kind of move", () => {
  const due = (state: State, pick = {}) => dueText(state, state.moves, pick);
  const at = (fen: string) => rules.state({ variant: "morris" }, { fen });
  expect(due(rules.state({ variant: "morris" }))).toBe(de["due.placing"]);
  expect(due(rules.state({ variant: "lasker" }, { moves: ["d6", "f4"] }))).toBe(de["due.placeOrSlide"]);
  const sliding = at("OO1/3/3/2X3/1XX/1O1/O2 w 0 0 0 1");
  expect(due(sliding)).toBe(de["due.moving"]);
  expect(due(sliding, { from: "a7" })).toBe(de["due.to"]);
  expect(due(at("OO1/3/3/O1X3/1XX/X2/3 w 0 0 0 1"))).toBe(de["due.flying"]);
  const closing = rules.state({ variant: "morris" }, { moves: ["a7", "d2", "d7", "d1"] });
  expect(due(closing, { to: "g7" })).toBe(de["due.remove"]);
  // A chosen point for a placement is not an origin.
  expect(due(closing)).toBe(de["due.placing"]);
  const smess = rules.state({ variant: "smess" });
  expect(due(smess)).toBe(de["due.playing"]);
  expect(due(smess, { from: "a2" })).toBe(de["due.to"]);
  // An unknown phase of a game is handled like any other.
  expect(due({ ...smess, phase: "dancing" })).toBe(de["due.playing"]);
});

test("players, variants, results and large numbers are told in short", () => {
  expect([0, 3, 4, 20].map(levelName)).toEqual(["Anfänger", "schwach", "", "volle Stärke"]);
  expect(playerText({ kind: "human", level: 3, time: 1000 })).toBe("Mensch");
  expect(playerText({ kind: "human", name: "Anna", level: 3, time: 1000 })).toBe("Anna");
  expect(playerText({ kind: "computer", level: 3, time: 1000 })).toBe("Computer · schwach");
  expect(playerText({ kind: "computer", level: 4, time: 1000 })).toBe("Computer · Stufe 4");
  expect(variantName({ variant: "lasker" })).toBe("Lasker-Mühle");
  expect(variantName({ variant: "lasker", options: { Stones: 7 } })).toBe("Lasker-Mühle *");
  const outcomes = [undefined, "draw", "white", "black"] as const;
  expect(outcomes.map(outcomeText)).toEqual(["–", "½ : ½", "1 : 0", "0 : 1"]);
  const numbers = [0, 999, 1000, 1499, 999_000, 1_000_000, 2_345_000];
  expect(numbers.map(short)).toEqual(["0", "999", "1k", "1k", "999k", "1.0M", "2.3M"]);
});

test("of a point is said what stands there and what can be done with it", () => {
  const { moves } = rules.state({ variant: "morris" }, { fen: "OO1/3/3/2X3/1XX/1O1/O2 w 0 0 0 1" });
  const stone = { side: "white", kind: "stone" } as const;
  const idle = {
    words: boardWords(),
    hasKinds: false,
    inMill: false,
    pick: {},
    next: choice(moves, {}),
    isLast: false,
  };
  expect(describe("g7", undefined, idle)).toBe("g7, frei");
  expect(describe("e3", { side: "black", kind: "stone" }, idle)).toBe("e3, schwarz");
  expect(describe("b4", { side: "black", kind: "ninny" }, { ...idle, hasKinds: true })).toBe(
    "b4, Ninny schwarz",
  );
  // A kind without a name shows its ID.
  expect(describe("b4", { side: "black", kind: "dragon" }, { ...idle, hasKinds: true })).toBe(
    "b4, dragon schwarz",
  );
  expect(describe("a7", stone, idle)).toBe("a7, weiß, kann ziehen");
  const all = describe("a7", stone, { ...idle, inMill: true, isLast: true });
  expect(all).toBe("a7, weiß, in einer Mühle, kann ziehen, letzter Zug");
  const picked = { ...idle, pick: { from: "a7" }, next: choice(moves, { from: "a7" }) };
  expect(describe("a7", stone, picked)).toBe("a7, weiß, gewählt");
  expect(describe("a4", undefined, picked)).toBe("a4, frei, erreichbar");
  const { moves: closing } = rules.state({ variant: "lasker" }, { moves: ["a7", "d2", "d7", "d1"] });
  const due = { ...idle, pick: { to: "g7" }, next: choice(closing, { to: "g7" }) };
  expect(describe("g7", undefined, due)).toBe("g7, frei, gewählt");
  expect(describe("d1", { side: "black", kind: "stone" }, due)).toBe("d1, schwarz, kann genommen werden");
  // During a removal no piece is described as movable.
  expect(describe("a7", stone, due)).toBe("a7, weiß");
});

/** The engine's messages, and their translations. */
const SAID: readonly (readonly [words: string, key: Key, values?: Values])[] = [
  [
    "side to move is missing, expected w or b",
    "fen.missing",
    { field: "die Seite am Zug", expected: "w oder b" },
  ],
  [
    'counter is "x y", expected a number',
    "fen.field",
    { field: "der Zähler", text: '"x y"', expected: "eine Zahl" },
  ],
  ['unexpected text "a b" after the last field', "fen.extra", { text: '"a b"' }],
  ["1 row, expected 7", "fen.rows", { n: 1, count: 7 }],
  ["12 rows, expected 10", "fen.rows", { n: 12, count: 10 }],
  ["row 10 is too long: 12 cells, expected 13", "fen.row", { row: 10, n: 12, count: 13 }],
  ["row 2 is too short: 1 cell, expected 3", "fen.row", { row: 2, n: 1, count: 3 }],
  [
    "character 'q' in row 12, expected one of OX@*",
    "fen.character",
    { text: "'q'", row: 12, letters: "OX@*" },
  ],
  [
    "white's stones on board given as 12, but the board shows 10",
    "fen.contradiction",
    { side: "Weiß", n: 12, count: 10 },
  ],
  [
    "black has 13 stones on board and in hand, expected at most 12",
    "fen.manyStones",
    { side: "Schwarz", n: 13, count: 12 },
  ],
  ["white has 12 Brains, expected at most 1", "fen.manyBrains", { side: "Weiß", n: 12 }],
  ["white has 13 pieces, expected at most 12", "fen.manyPieces", { side: "Weiß", n: 13, count: 12 }],
  ["both sides have fewer than three stones, expected at most one such side", "fen.fewStones"],
  ["both Brains are missing, expected at least one", "fen.noBrains"],
  ["a removal is due, expected a position between two moves", "fen.removalDue"],
  ["move 12 (a b) cannot be read, expected one such as d6", "move.unreadable", { number: 12, move: "a b" }],
  ["move 12 (d6) is illegal, expected one of the legal moves", "move.illegal", { number: 12, move: "d6" }],
  [
    "move 12 (g7) closes a mill: name the stone to take, such as g7xd1",
    "move.mill",
    { number: 12, move: "g7", example: "g7xd1" },
  ],
  [
    "move 12 (d6xa1) takes no stone here, expected d6",
    "move.noMill",
    { number: 12, move: "d6xa1", example: "d6" },
  ],
  [
    "move 12 (g7xa1) cannot take a1, expected a move such as g7xd1",
    "move.protected",
    { number: 12, move: "g7xa1", point: "a1", example: "g7xd1" },
  ],
  [
    "move 12 (d6) comes after the end of the game (no legal move)",
    "move.over",
    { number: 12, move: "d6", reason: "kein Zug möglich" },
  ],
  [
    "move 3 (d6) comes after the end of the game (rain)",
    "move.over",
    { number: 3, move: "d6", reason: "rain" },
  ],
  [
    'invalid value "99" for Stones: expected a number from 3 to 12',
    "option.value",
    { option: "Steine je Seite", text: "99", expected: "eine Zahl von 3 bis 12" },
  ],
  [
    'invalid value "maybe" for Flying: expected true or false',
    "option.value",
    { option: "Springen mit drei Steinen", text: "maybe", expected: "true oder false" },
  ],
  ["no value for Hash: expected a number", "option.none", { option: "Hash", expected: "eine Zahl" }],
  ["no memory for the engine", "engine.memory"],
  ["the worker could not be started", "engine.start"],
  ["the engine has ended", "engine.gone"],
  ["the engine has been closed", "engine.gone"],
  ["the connection to wss://host/engine is closed, expected a server", "engine.lost"],
  [
    "x.wasm is not at https://host/x.wasm (404 Not Found)",
    "engine.file",
    { file: "x.wasm", url: "https://host/x.wasm", detail: "404 Not Found" },
  ],
  [
    "x.net at https://host/x.net is damaged (too short)",
    "engine.damaged",
    { file: "x.net", url: "https://host/x.net", detail: "too short" },
  ],
];

/** Messages without their end: the expected value adds nothing. */
const OPEN: ReadonlySet<Key> = new Set<Key>([
  "fen.fewStones",
  "fen.noBrains",
  "fen.removalDue",
  "move.unreadable",
  "move.illegal",
  "engine.lost",
]);

test("each of the engine's refusals is said with all its values", () => {
  for (const [words, key, values] of SAID) {
    expect(faultText(new Error(words)), words).toBe(german(key, values));
    // Messages of several lines do not match, and remain unchanged.
    expect(faultText(new Error(`x\n${words}`))).toBe(`x\n${words}`);
    if (!OPEN.has(key)) expect(faultText(`${words}\nx`)).toBe(`${words}\nx`);
  }
  expect(new Set(SAID.map(([, key]) => key))).toEqual(new Set(REFUSALS.map(([, key]) => key)));
});

test("faults are told one by one, ours in their own words", () => {
  const both = "position refused: bad FEN: 1 row, expected 7; a removal is due, expected another";
  expect(faultTexts(new Error(both))).toEqual([
    german("fen.rows", { n: 1, count: 7 }),
    german("fen.removalDue"),
  ]);
  expect(faultText(new Error(both))).toBe(faultTexts(new Error(both)).join("; "));
  const refused = "setoption refused: no value for Hash: expected a number";
  expect(faultText(new Error(refused))).toBe("Hash: kein Wert, erwartet eine Zahl");
  expect(faultText("so it was said: position refused: rain")).toBe("so it was said: position refused: rain");
  expect(faultText(new Fault("fault.variant", { text: '"chess"' }))).toBe(
    'Das Spiel "chess" ist hier nicht bekannt',
  );
  expect(new Fault("fault.noMoves")).toMatchObject({ name: "Fault", key: "fault.noMoves", values: {} });
});

test("what is quoted is short", () => {
  expect(quoted('a"b')).toBe('"a\\"b"');
  expect(quoted("x".repeat(40))).toBe(`"${"x".repeat(40)}"`);
  expect(quoted("x".repeat(41))).toBe(`"${"x".repeat(40)}…"`);
});

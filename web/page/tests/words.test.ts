import {
  AssetError,
  EngineError,
  EngineGone,
  type Fact,
  type Position,
  type Rules,
  type Ruleset,
  type State,
} from "millbrain";
import { beforeAll, expect, test, vi } from "vitest";
import { choice, describe } from "@millbrain/board/model";
import { boardWords } from "../src/board/words.js";
import { loadRules, rules as engineRules } from "../src/engine/rules.js";
import { Fault, quoted } from "../src/game/fault.js";
import { ofRules, resignation, TERMINATIONS } from "../src/game/text.js";
import { de } from "../src/texts/de/page.js";
import type { Key } from "../src/texts/en/page.js";
import { fill, type Values } from "../src/i18n/fill.js";
import { loadLanguage } from "../src/i18n/index.svelte.js";
import { faultText, faultTexts } from "../src/texts/faults.js";
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
import { alteredRules } from "./altered.js";

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

test("what has come of a file is reported in megabytes, where all of it is known", () => {
  const of = (received: number, total?: number) =>
    arrivalText("packComing", { file: "a.pack", received, total, isOver: false });
  expect(of(950_001, 1_378_647)).toBe(german("packComing", { received: "1,0", total: "1,4" }));
  expect(of(0, 40_000)).toBe(german("packComing", { received: "0,0", total: "0,0" }));
  expect([of(5), arrivalText("engineComing", undefined)]).toEqual(["", ""]);
});

test("what is wrong with a move is reported in words, with its moves as they are read", () => {
  const reported = (fact: Fact) => factText(fact, MORRIS);
  expect(reported({ kind: "missedTake", better: "a2b3", point: "b3" })).toBe(
    "a2b3 hätte die Figur auf b3 gewonnen.",
  );
  const mill = ["a7", "d7", "g7"];
  expect(reported({ kind: "missedMill", better: "a4a7xg1", mills: [mill] })).toBe(
    "a4–a7 ×g1 hätte die Mühle a7–d7–g7 geschlossen und einen Stein genommen.",
  );
  expect(reported({ kind: "allowsMill", better: "d6", reply: "g7xd1", mills: [mill] })).toBe(
    "Der Gegner kann jetzt mit g7 ×d1 die Mühle a7–d7–g7 schließen; d6 verhindert das.",
  );
  expect(reported({ kind: "freePoints", better: "d6", count: 1, instead: 4 })).toBe(
    "Die eigenen Steine haben nur 1 freien Nachbarpunkt, nach d6 wären es 4.",
  );
  expect(reported({ kind: "gaveUpWin", plies: 1 })).toBe("Das verschenkt einen Gewinn in 1 Halbzug.");
  expect(reported({ kind: "gaveUpDraw" })).toBe("Das macht aus einem Remis einen Verlust.");
  expect(reported({ kind: "missedWin", better: "d6", plies: 3 })).toBe("d6 hätte in 3 Halbzügen gewonnen.");
  expect(reported({ kind: "allowsWin", plies: 1 })).toBe("Der Gegner kann jetzt in 1 Halbzug gewinnen.");
  expect(reported({ kind: "winsAtOnce", better: "d6" })).toBe("d6 gewinnt sofort.");
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

test("a moment is reported in the language, with its date and its time", () => {
  const text = dateText(new Date(2024, 4, 17, 16, 5).getTime());
  expect(text).toMatch(/17.*2024.*16:05/);
  expect(text).not.toMatch(/:05:/);
});

test("ends are reported by their reason, or by what has happened to a program", () => {
  expect(reasonText(resignation("white"))).toBe("Weiß hat aufgegeben");
  // As in records of matches and games between people.
  const resigned = { reason: "resigned", termination: "adjudication" } as const;
  expect(endText({ ...resigned, outcome: "white" }).reason).toBe("Schwarz hat aufgegeben");
  expect(reasonText({ ...resigned, outcome: "draw" })).toBe("aufgegeben");
  const silent = { reason: "", outcome: "black" } as const;
  expect(reasonText({ ...silent, termination: "resignation" })).toBe("Weiß hat aufgegeben");
  expect(endText({ outcome: "none", reason: "", termination: "abandoned" })).toEqual({
    title: "Ohne Ergebnis",
    reason: "die Partie wurde abgebrochen",
  });
  expect(endText({ outcome: "black", reason: "rain", termination: "adjudication" }, "white").title).toBe(
    "Du hast verloren",
  );
  expect(reasonText({ outcome: "white", reason: "no-moves", termination: "normal" })).toBe(
    "kein Zug möglich",
  );
  expect(reasonText({ outcome: "draw", reason: "length", termination: "adjudication" })).toBe(
    "zu viele Züge",
  );
  for (const termination of TERMINATIONS) {
    const reported = reasonText({ outcome: "draw", reason: "A was 3 ms late", termination });
    expect(reported).toBe(termination === "normal" ? "A was 3 ms late" : de[`termination.${termination}`]);
  }
  const reason = "no-moves";
  expect(endText({ outcome: "draw", reason, termination: "normal" })).toEqual({
    title: "Remis",
    reason: "kein Zug möglich",
  });
  expect(endText({ outcome: "black", reason, termination: "normal" }).title).toBe("Schwarz gewinnt");
  expect([known("reason.no-progress"), known("reason.rain")]).toEqual(["reason.no-progress", undefined]);
});

test("what is due is reported for each kind of move", () => {
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

test("players, variants, results and large numbers are reported in short", () => {
  expect([0, 3, 4, 20].map(levelName)).toEqual(["Anfänger", "Hobbyspieler", "Hobbyspieler", "volle Stärke"]);
  expect(playerText({ kind: "human", level: 3, time: 1000 })).toBe("Mensch");
  expect(playerText({ kind: "human", name: "Anna", level: 3, time: 1000 })).toBe("Anna");
  expect(playerText({ kind: "computer", level: 3, time: 1000 })).toBe(
    "Computer · Stufe 3 von 20, Hobbyspieler",
  );
  expect(playerText({ kind: "computer", level: 4, time: 1000 })).toBe(
    "Computer · Stufe 4 von 20, Hobbyspieler",
  );
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

/** The faults of a position. */
function refused(rules: Rules, ruleset: Ruleset, position: Position): EngineError {
  try {
    rules.state(ruleset, position);
  } catch (error) {
    return error as EngineError;
  }
  throw new Error("it is fine");
}

/** Rejected positions with their faults. */
const REFUSED: readonly (readonly [rules: Ruleset, position: Position, texts: readonly string[]])[] = [
  [
    MORRIS,
    { fen: "OO2/2/3/6/3/3/q2 x 12" },
    [
      "Reihe 1 ist zu lang: 4 Felder, erwartet 3",
      "Reihe 2 ist zu kurz: 2 Felder, erwartet 3",
      "Zeichen 'q' in Reihe 7, erwartet eines von O, X, 1-6",
      'die Seite am Zug ist "x", erwartet w oder b',
      'die Hand von Weiß ist "12", erwartet eine Zahl von 0 bis 9',
      "die Hand von Schwarz fehlt, erwartet eine Anzahl von Steinen",
    ],
  ],
  [
    MORRIS,
    { fen: "OOO/OOO/3/6/3/3/3 w 4 0" },
    ["Weiß hat 10 Steine auf dem Brett und in der Hand, erwartet höchstens 9"],
  ],
  [
    { variant: "smess" },
    { fen: "7/7/7/7/7/7/7/7 w 0 1 z" },
    ['unerwarteter Text "z" nach dem letzten Feld', "beide Brains fehlen, erwartet mindestens eines"],
  ],
  [MORRIS, { moves: ["d6", "d6"] }, ["Zug 2 (d6) ist regelwidrig"]],
  [MORRIS, { moves: ["a b"] }, ["Zug 1 (a b) ist nicht lesbar, erwartet ein Zug wie d6, a4a7 oder d6xb4"]],
  [
    MORRIS,
    { moves: ["a7", "d2", "d7", "d1", "g7"] },
    ["Zug 5 (g7) schließt eine Mühle: Der zu schlagende Stein fehlt, etwa g7xd1"],
  ],
  [
    MORRIS,
    { fen: "OO1/3/3/6/3/3/XXX w 0 0", moves: ["a7a4"] },
    ["Zug 1 (a7a4) kommt nach dem Ende des Spiels (weniger als drei Steine)"],
  ],
  [
    { variant: "morris", options: { Stones: 99 } },
    {},
    ['Steine je Seite: "99" ist nicht möglich, erwartet eine Zahl von 3 bis 12'],
  ],
  [
    { variant: "morris", options: { Removal: "some" } },
    {},
    ['Wenn alle Steine in Mühlen sind: "some" ist nicht möglich, erwartet if-all oder never'],
  ],
];

test("what is refused is said by what it is", () => {
  for (const [ruleset, position, texts] of REFUSED) {
    const error = refused(rules, ruleset, position);
    expect(faultTexts(error), error.message).toEqual(texts);
    expect(faultText(error)).toBe(texts.join("; "));
    // Words without data stay as they are.
    expect(faultText(new Error(error.message))).toBe(error.message);
  }
});

test("nothing changes where the engine has other words", async () => {
  const { rules: altered, count } = await alteredRules();
  expect(count).toBeGreaterThan(70);
  for (const [ruleset, position, texts] of REFUSED) {
    const error = refused(altered, ruleset, position);
    expect(error.message).not.toBe(refused(rules, ruleset, position).message);
    expect(faultTexts(error), error.message).toEqual(texts);
  }
  const position = { fen: "OO1/3/3/6/3/3/XXX w 0 0" };
  const [own, other] = [rules, altered].map((each) => each.state(MORRIS, position).ending!);
  expect([other?.reason === own?.reason, other?.id]).toEqual([false, own?.id]);
  expect(endText(ofRules(other!))).toEqual(endText(ofRules(own!)));
});

test("what happens to engines is said by what it is", () => {
  const why = new AssetError("https://host/x.net", true, "too short");
  const values = { file: "x.net", url: "https://host/x.net", detail: "too short" };
  expect(faultText(why)).toBe(german("engine.damaged", values));
  expect(faultText(new AssetError("https://host/x.net", false, "too short"))).toBe(
    german("engine.file", values),
  );
  for (const id of ["engine.memory", "engine.start", "engine.gone", "engine.lost"] as const)
    expect(faultText(new EngineGone("some words", id))).toBe(german(id));
  expect(faultText(new EngineGone("some words", "engine.of-tomorrow"))).toBe("some words");
  expect(faultText("some words")).toBe("some words");
});

test("faults of the page are said in their own words", () => {
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

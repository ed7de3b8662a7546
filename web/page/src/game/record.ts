import type { Ruleset } from "millbrain";
import { rules } from "../engine/rules.js";
import { readScore, scoreText } from "./chances.js";
import { Fault, quoted } from "./fault.js";
import { readMove } from "./moves.js";
import { type GameEnd, type GameText, type Outcome, type PlayedMove, TERMINATIONS } from "./text.js";
import { readOptions, ruleset, variantInfo, writeOptions } from "./variants.js";

/**
 * The match runner's records: tags, then moves with comments. Exactly what `millbrain match --replay` reads. A record
 * always has a result, so a game that is not over is written as an adjudicated draw with the reason `unfinished`.
 * House rules stand in a tag of their own.
 */
const UNFINISHED = "unfinished";

const RESULTS: Record<Outcome, string> = { white: "1-0", black: "0-1", draw: "1/2-1/2" };

function escaped(value: string): string {
  return value.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").replace(/["\\]/g, "\\$&");
}

function comment({ said, time }: PlayedMove): string {
  if (time === undefined) return "book";
  return `${said ? `${scoreText(said.score)}/${said.depth} ` : ""}${Math.round(time)}ms`;
}

export function writeRecord(game: GameText): string {
  const fen = game.fen ?? rules().state(ruleset(game.variant, game.options)).fen;
  const { outcome, reason, termination }: GameEnd = game.end ?? {
    outcome: "draw",
    reason: UNFINISHED,
    termination: "adjudication",
  };
  const tags: [string, string][] = [
    ["Event", "millbrain match"],
    ["Game", "1"],
    ["Round", "1"],
    ["White", game.white],
    ["Black", game.black],
    ["Result", RESULTS[outcome]],
    ["Variant", game.variant],
    ["FEN", fen],
    ["WhiteTimeControl", game.whiteTime ?? "-"],
    ["BlackTimeControl", game.blackTime ?? "-"],
    ["PlyCount", String(game.moves.length)],
    ["Termination", termination],
    ["Reason", reason],
  ];
  const house = writeOptions(game.options);
  if (house !== "") tags.push(["HouseRules", house]);
  let text = tags.map(([name, value]) => `[${name} "${escaped(value)}"]\n`).join("") + "\n";
  const shift = fen.split(/\s+/)[1] === "b" ? 1 : 0;
  game.moves.forEach((played, i) => {
    const ply = i + shift;
    if (ply % 2 === 0) text += `${ply / 2 + 1}. `;
    else if (i === 0) text += `${(ply - 1) / 2 + 1}... `;
    text += `${played.move} {${comment(played)}}${ply % 2 === 1 ? "\n" : " "}`;
  });
  return `${text}${RESULTS[outcome]}\n\n`;
}

function readTags(lines: readonly string[]): Map<string, string> {
  const tags = new Map<string, string>();
  for (const line of lines) {
    const match = /^\[(\S+) "(.*)"\]\s*$/.exec(line);
    if (match === null) throw new Fault("fault.tag", { text: quoted(line) });
    tags.set(match[1] as string, (match[2] as string).replace(/\\(.)/g, "$1"));
  }
  return tags;
}

function readMoves(body: string, own: Ruleset): PlayedMove[] {
  const played: PlayedMove[] = [];
  for (const [word] of body.matchAll(/\{[^}]*\}|[^\s{]+/g)) {
    const last = played.at(-1);
    if (word.startsWith("{")) {
      const time = /(\d+)ms(?! late)/.exec(word)?.[1];
      const [, score, depth] = /^\{([^/\s]+)\/(\d+) /.exec(word) ?? [];
      const read = score === undefined ? undefined : readScore(score);
      if (last && time !== undefined) last.time = Number(time);
      if (last && read) last.said = { score: read, depth: Number(depth) };
    } else if (!word.endsWith(".") && !Object.values(RESULTS).includes(word) && word !== "*") {
      played.push({ move: readMove(word, played.length + 1, own) });
    }
  }
  return played;
}

/** Reads all games of a text. */
export function readRecords(text: string): GameText[] {
  const games: GameText[] = [];
  const lines = text
    .replaceAll("\r", "")
    .replace(/^\uFEFF/, "")
    .split("\n");
  for (let at = 0; at < lines.length;) {
    const take = (wanted: (line: string) => boolean) => {
      const from = at;
      while (at < lines.length && wanted(lines[at] as string)) at++;
      return lines.slice(from, at);
    };
    take((line) => line.trim() === "");
    if (at >= lines.length) break;
    const tagLines = take((line) => line.startsWith("["));
    if (tagLines.length === 0) throw new Fault("fault.tag", { text: quoted(lines[at] as string) });
    const tags = readTags(tagLines);
    take((line) => line.trim() === "");
    const body = take((line) => line.trim() !== "" && !line.startsWith("[")).join("\n");
    games.push(assemble(tags, body));
  }
  return games;
}

function assemble(tags: Map<string, string>, body: string): GameText {
  const variant = variantInfo(tags.get("Variant"))?.name;
  if (variant === undefined) throw new Fault("fault.variant", { text: quoted(tags.get("Variant") ?? "") });
  const fen = tags.get("FEN");
  const options = readOptions(variant, tags.get("HouseRules") ?? "");
  const own = ruleset(variant, options);
  return {
    variant,
    options,
    white: tags.get("White") ?? "",
    black: tags.get("Black") ?? "",
    moves: readMoves(body, own),
    ...(fen && fen !== rules().state(own).fen ? { fen } : {}),
    ...readEnd(tags),
  };
}

/** The end of a recorded game; a game that is not over has a result all the same. */
function readEnd(tags: Map<string, string>): { end?: GameEnd } {
  const outcome = (Object.keys(RESULTS) as Outcome[]).find((key) => RESULTS[key] === tags.get("Result"));
  const reason = tags.get("Reason") ?? "";
  if (outcome === undefined || (outcome === "draw" && reason === UNFINISHED)) return {};
  const termination = TERMINATIONS.find((name) => name === tags.get("Termination")) ?? "adjudication";
  return { end: { outcome, reason, termination } };
}

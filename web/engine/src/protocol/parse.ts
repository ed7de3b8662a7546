import type { Line, Option, Score } from "../types.js";

/** Returns the words between two keywords of a line. */
function between(line: string, keyword: string, next: readonly string[]): string | undefined {
  const words = line.split(" ");
  const start = words.indexOf(keyword);
  if (start < 0) return undefined;
  const end = words.findIndex((word, i) => i > start && next.includes(word));
  return words.slice(start + 1, end < 0 ? undefined : end).join(" ");
}

/** Parses an `option` line; returns `undefined` for another line. */
export function parseOption(line: string): Option | undefined {
  if (!line.startsWith("option name ")) return undefined;
  const keywords = ["type", "default", "min", "max", "var"];
  const name = between(line, "name", ["type"]);
  const type = between(line, "type", keywords) as Option["type"] | undefined;
  if (name === undefined || type === undefined) return undefined;
  const rest = line.slice(line.indexOf(" type "));
  const [fallback, min, max] = ["default", "min", "max"].map((keyword) => between(rest, keyword, keywords));
  const values = rest.split(" var ").slice(1);
  return {
    name,
    type,
    ...(fallback === undefined ? {} : { default: fallback === "<empty>" ? "" : fallback }),
    ...(min === undefined ? {} : { min: Number(min) }),
    ...(max === undefined ? {} : { max: Number(max) }),
    ...(values.length === 0 ? {} : { values }),
  };
}

/** Parses an `info` line with a variation; returns `undefined` for another line. */
export function parseLine(line: string): Line | undefined {
  const words = line.split(" ");
  if (words[0] !== "info" || !words.includes("score")) return undefined;
  const numbers = new Map<string, number>();
  let score: Score | undefined;
  let bound: Line["bound"];
  let wdl: Line["wdl"];
  let pv: string[] = [];
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as string;
    const number = Number(words[i + 1]);
    if (word === "pv") {
      pv = words.slice(i + 1);
      break;
    } else if (word === "score") {
      const value = Number(words[i + 2]);
      score = words[i + 1] === "mate" ? { mate: value } : { cp: value };
      i += 2;
    } else if (word === "lowerbound" || word === "upperbound") {
      bound = word === "lowerbound" ? "lower" : "upper";
    } else if (word === "wdl") {
      wdl = [number, Number(words[i + 2]), Number(words[i + 3])];
      i += 3;
    } else {
      numbers.set(word, number);
      i += 1;
    }
  }
  if (score === undefined) return undefined;
  const number = (name: string, otherwise = 0) => numbers.get(name) ?? otherwise;
  return {
    depth: number("depth"),
    seldepth: number("seldepth"),
    multipv: number("multipv", 1),
    score,
    ...(bound === undefined ? {} : { bound }),
    ...(wdl === undefined ? {} : { wdl }),
    nodes: number("nodes"),
    nps: number("nps"),
    hashfull: number("hashfull"),
    tbhits: number("tbhits"),
    time: number("time"),
    pv,
  };
}

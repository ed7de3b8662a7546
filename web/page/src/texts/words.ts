import type { Download, Fact, GameEnd, MoveParts, Ruleset, Side, State, VariantInfo } from "millbrain";
import { choice, type Pick } from "@millbrain/board/model";
import { rules } from "../engine/rules.js";
import { controlOf, type ControlName, type TimeControl } from "../game/clock.js";
import type { Clue } from "../game/facts.js";
import type { Refusal } from "../game/refusal.js";
import type { TableValue } from "../game/tables.js";
import { type Facts, type Outcome, resigned } from "../game/text.js";
import { variantInfo } from "../game/variants.js";
import { type Key, en } from "./en/page.js";
import { fill } from "../i18n/fill.js";
import { textOf } from "../i18n/games.js";
import { chosenAlias, type Lang, lang, named, sideName, t } from "../i18n/index.svelte.js";
import { FULL, type Player } from "../game/players.js";

/** Formats a move for display: `d6`, `a4–a7`, `d6 ×b4`. */
export function moveText(move: string, ruleset: Ruleset): string {
  const parts = rules().parts(ruleset, move);
  if (parts === null) return move;
  const { from, to, taken } = parts;
  return `${from === undefined ? "" : `${from}–`}${to}${taken.map((point) => ` ×${point}`).join("")}`;
}

/** Formats a move for screen readers. */
export function moveSaid(move: string, side: Side, ruleset: Ruleset): string {
  const parts = rules().parts(ruleset, move);
  if (parts === null) return move;
  const { from, to, taken } = parts;
  const mover = sideName(side);
  const said =
    from === undefined ? t("say.place", { side: mover, to }) : t("say.move", { side: mover, from, to });
  return taken.length === 0 ? said : `${said} ${t("say.remove", { remove: taken.join(", ") })}`;
}

/** The formats of times by language: making one is slow. */
const times = new Map<Lang, Intl.DateTimeFormat>();

/** Formats a date and time in the current language. */
export function dateText(time: number): string {
  const language = lang();
  const format =
    times.get(language) ?? new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  times.set(language, format);
  return format.format(time);
}

/** Formats a date of a text, such as `2026.08.01`, without its unknown parts. */
export function dayText(text: string): string {
  const [, year, month, day] = /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return text.replace(/(\.\?+)+$/, "");
  const date = new Date(year, month - 1, day);
  const isDay = date.getMonth() === month - 1 && date.getDate() === day;
  return isDay ? new Intl.DateTimeFormat(lang(), { dateStyle: "medium" }).format(date) : text;
}

const tagOf = ({ facts }: { facts?: Facts | undefined }, name: string): string =>
  facts?.tags?.find(([known]) => known === name)?.[1] ?? "";

/** Returns event and site of a game, as far as they are known. */
export const eventText = (game: { facts?: Facts | undefined }): string =>
  ["Event", "Site"]
    .map((name) => tagOf(game, name))
    .filter((text) => text !== "")
    .join(" · ");

/** Returns the date of a game: that of its text, or of its last move here. */
export const playedText = (game: { facts?: Facts | undefined; saved: number }): string =>
  dayText(tagOf(game, "Date")) || dateText(game.saved);

/**
 * Describes the progress of a download: by `key`, with received and total megabytes; empty while the total is unknown.
 */
export function arrivalText(key: "engineComing" | "packComing", download: Download | undefined): string {
  if (download?.total === undefined) return "";
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const megabytes = (bytes: number) => new Intl.NumberFormat(lang(), digits).format(bytes / 1e6);
  return t(key, { received: megabytes(download.received), total: megabytes(download.total) });
}

/** Returns a key built at run time, if there is such a text. */
export function known(key: string): Key | undefined {
  return key in en ? (key as Key) : undefined;
}

/**
 * Describes why a game is over. A match's reasons contain names of programs, so the text describes the event instead.
 */
export function reasonText(end: GameEnd): string {
  const { reason, termination } = end;
  const side = resigned(end);
  if (side) return t("resigned", { side: sideName(side) });
  const key = known(`reason.${reason}`);
  const text = key ? t(key) : textOf("ending", reason, lang());
  if (text !== undefined) return text;
  return termination === "normal" ? reason : t(`termination.${termination}`);
}

/** Describes the end of a game, from the view of a player who played only this side. */
export function endText(end: GameEnd, own?: Side): { title: string; reason: string } {
  const { outcome } = end;
  const title =
    outcome === "draw" || outcome === "none"
      ? t(outcome === "draw" ? "draw" : "noResult")
      : own === undefined
        ? t("wins", { side: sideName(outcome) })
        : t(outcome === own ? "youWon" : "youLost");
  return { title, reason: reasonText(end) };
}

/** Describes the kind of move that is due. */
export function dueText(state: State, legal: readonly MoveParts[], pick: Pick): string {
  const { due, sources, targets } = choice(legal, pick);
  if (due === "remove") return t("due.remove");
  if (due === "to" && pick.from !== undefined) return t("due.to");
  if (sources.size === 0) return t("due.placing");
  if (targets.size > 0) return t("due.placeOrSlide");
  return t(known(`due.${state.phase}`) ?? "due.playing");
}

/** Describes why a click had no effect. */
export function refusalText({ key, point, from, side }: Refusal): string {
  return t(key, { point, side: sideName(side), ...(from === undefined ? {} : { from }) });
}

/** Describes a fact about a move in one sentence. */
export function factText(fact: Fact, ruleset: Ruleset): string {
  const id = fact.kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const hasPlies = fact.kind.startsWith("gaveUp") && fact.plies !== undefined;
  const pattern = textOf("fact", hasPlies ? `${id}-in` : id, lang()) ?? "";
  const move = (text: string | undefined) => (text === undefined ? "" : moveText(text, ruleset));
  const mill = (place: number) => fact.mills?.[place]?.join("–") ?? "";
  const values = {
    n: fact.plies ?? fact.count ?? 0,
    m: fact.instead ?? 0,
    better: move(fact.better),
    reply: move(fact.reply),
    mill: mill(0),
    other: mill(1),
    point: fact.point ?? "",
  };
  return fill(pattern, values, lang());
}

/** Describes the first step of a hint. */
export function clueText({ points, theme }: Clue): string {
  return t(`clue.${theme}`, { place: points.join("–") });
}

/** Describes the value of a move by the tables. */
export function valueText({ value, moves: n, isDoubtful }: TableValue): string {
  if (value === "draw") return t("drawn");
  const [word, within]: [Key, Key] = value === "win" ? ["won", "wonIn"] : ["lost", "lostIn"];
  const text = n === undefined ? t(word) : t(within, { n });
  return isDoubtful ? t("doubtful", { value: text }) : text;
}

/** Returns the name of a level: that of the nearest named one below. */
export function levelName(level: number): string {
  return textOf("level", level, lang()) ?? (level > 0 ? levelName(level - 1) : "");
}

/** Describes a level among all, such as `Level 3 of 20, casual`. */
export const levelText = (level: number): string =>
  level < FULL ? t("level.n", { n: level, all: FULL, name: levelName(level) }) : levelName(level);

export function playerText(player: Player): string {
  if (player.kind === "human") return player.name || t("human");
  return `${t("computer")} · ${levelText(player.level)}`;
}

/** Describes a time control. */
export function controlWords({ base, increment }: TimeControl): string {
  const n = base / 60_000;
  return increment === 0 ? t("clock.plain", { n }) : t("clock.increment", { n, inc: increment / 1000 });
}

export const controlName = (name: ControlName): string => controlWords(controlOf(name));

/** Returns the name of the rules: that of the variant, or of the alias by which it was chosen. */
export function variantName({ variant, options }: Ruleset): string {
  const chosen = variantInfo(variant)?.aliases.find((alias) => alias === chosenAlias());
  return named("variant", chosen ?? variant) + (options ? " *" : "");
}

/** Returns all names of a variant, for a list to choose from. */
export function variantNames({ name, aliases }: VariantInfo): string {
  return [name, ...aliases].map((id) => named("variant", id)).join(" · ");
}

export function outcomeText(outcome: Outcome | undefined): string {
  return outcome === undefined || outcome === "none"
    ? "–"
    : outcome === "draw"
      ? "½ : ½"
      : outcome === "white"
        ? "1 : 0"
        : "0 : 1";
}

/** Formats a number as `1.2M` or `350k`. */
export function short(n: number): string {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(Math.round(n));
}

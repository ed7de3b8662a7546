import { moveParts, type Ruleset, type Side, type State } from "millbrain";
import type { Pick } from "../board/pick.js";
import { choice } from "../board/pick.js";
import { type GameEnd, type Outcome, resigned } from "../game/text.js";
import { type Key, en } from "../i18n/en.js";
import { lang, t } from "../i18n/index.svelte.js";
import type { Player } from "../store/players.js";

/** A move as it is read: `d6`, `a4–a7`, `d6 ×b4`. */
export function moveText(move: string): string {
  const { from, to, remove } = moveParts(move);
  return `${from === undefined ? "" : `${from}–`}${to}${remove === undefined ? "" : ` ×${remove}`}`;
}

/** A move as it is heard. */
export function moveSaid(move: string, side: Side): string {
  const { from, to, remove } = moveParts(move);
  const mover = t(side);
  const said =
    from === undefined ? t("say.place", { side: mover, to }) : t("say.move", { side: mover, from, to });
  return remove === undefined ? said : `${said} ${t("say.remove", { remove })}`;
}

/** A moment, as one writes it here. */
export function dateText(time: number): string {
  return new Intl.DateTimeFormat(lang(), { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** A key that is made at run time, if there is such a text. */
export function known(key: string): Key | undefined {
  return key in en ? (key as Key) : undefined;
}

/** Why a game is over. The words of a match name programs; what has happened to them is said instead. */
export function reasonText({ reason, termination }: Omit<GameEnd, "outcome">): string {
  const side = resigned(reason);
  if (side) return t("reason.resigned", { side: t(side) });
  const key = known(`reason.${reason}`);
  if (key) return t(key);
  return termination === "normal" ? reason : t(`termination.${termination}`);
}

export function endText(end: GameEnd): { title: string; reason: string } {
  return {
    title: end.outcome === "draw" ? t("draw") : t("wins", { side: t(end.outcome) }),
    reason: reasonText(end),
  };
}

/** What kind of move is due. */
export function dueText(state: State, legal: readonly string[], pick: Pick): string {
  const { due, sources, targets } = choice(legal, pick);
  if (due === "remove") return t("due.remove");
  if (due === "to" && pick.from !== undefined) return t("due.to");
  if (state.family === "smess") return t("due.piece");
  if (sources.size === 0) return t("due.place");
  if (targets.size > 0) return t("due.placeOrSlide");
  return state.facts.some(([name, value]) => name === "Phase" && value === "flying")
    ? t("due.fly")
    : t("due.slide");
}

export function levelName(level: number): string {
  const key = known(`level.${level}`);
  return key ? t(key) : "";
}

export function playerText(player: Player): string {
  if (player.kind === "human") return t("human");
  const name = levelName(player.level);
  return `${t("computer")} · ${name || t("level.n", { n: player.level })}`;
}

export function variantName(rules: Ruleset): string {
  return t(`variant.${rules.variant}`) + (rules.options ? " *" : "");
}

export function outcomeText(outcome: Outcome | undefined): string {
  return outcome === undefined ? "–" : outcome === "draw" ? "½ : ½" : outcome === "white" ? "1 : 0" : "0 : 1";
}

/** `1.2M`, `350k`. */
export function short(n: number): string {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(Math.round(n));
}

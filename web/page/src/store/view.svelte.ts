import type { Ruleset } from "millbrain";
import type { Component } from "svelte";
import type { GameOnBoard } from "./board.svelte.js";

/** The places of the page, each with its parts. A place opens with its first part. */
export const PLACES = {
  play: ["game", "home", "lobby"],
  learn: ["lessons", "puzzles", "rules"],
  analyse: ["analysis", "editor", "import"],
  games: ["device", "archive", "live"],
  settings: ["settings"],
} as const;
export type Place = keyof typeof PLACES;
export type Part = (typeof PLACES)[Place][number];
export const PLACE_NAMES = Object.keys(PLACES) as Place[];

export const placeOf = (part: Part): Place =>
  PLACE_NAMES.find((place) => (PLACES[place] as readonly Part[]).includes(part)) as Place;

/** The parts with items that have a board: games between people, lessons, puzzles. */
export const ITEM_PARTS: readonly Part[] = ["lobby", "lessons", "puzzles"];

/** A part of the page, and the item that is open there. */
export interface Spot {
  readonly part: Part;
  readonly item?: string | undefined;
}

export const DIALOGS = ["new", "statistics"] as const;
export type DialogName = (typeof DIALOGS)[number];

/** An action offered by a message. */
export interface Offer {
  readonly label: string;
  readonly run: () => void;
}

/** The open parts of the page. */
export const view = $state<{
  part: Part;
  item?: string | undefined;
  dialog: "" | DialogName;
  toast: string;
  offer?: Offer | undefined;
  /** The board of the open part, if it has its own, its width for a height of 1, and its rules. */
  board?: { readonly Board: Component; readonly ratio: number; readonly rules: Ruleset } | undefined;
  /** The game on the board, if it is not the session's. */
  game?: GameOnBoard | undefined;
  /** Numbers of games against people with the user to move: all of them, and those that are not on the board. */
  turns: { readonly all: number; readonly elsewhere: number };
}>({
  part: "game",
  dialog: "",
  toast: "",
  turns: { all: 0, elsewhere: 0 },
});

/** Whether the open item is still loading: until then its place has no board. */
export const isLoading = (): boolean =>
  view.item !== undefined && view.board === undefined && view.game === undefined;

/** Where each place was left. */
const left = $state<Partial<Record<Place, Spot>>>({});

/** Opens a part of the page, or an item of it. */
export function go(part: Part, item?: string): void {
  view.part = part;
  view.item = item;
  left[placeOf(part)] = { part, item };
}

/** Returns where a place opens: where it was left, or at its beginning if it is open. */
export function entrance(place: Place): Spot {
  const [part] = PLACES[place];
  return (place === placeOf(view.part) ? undefined : left[place]) ?? { part };
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Display time of a message in milliseconds; longer if it offers an action. */
const SHOWN = 4000;
const OFFERED = 12_000;

/** Shows a short message that disappears by itself. */
export function toast(text: string, offer?: Offer): void {
  view.toast = text;
  view.offer = offer;
  clearTimeout(timer);
  timer = setTimeout(endToast, offer ? OFFERED : SHOWN);
}

export function endToast(): void {
  view.toast = "";
  view.offer = undefined;
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages that are not secure have no clipboard; the old API still works there.
    const area = document.createElement("textarea");
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

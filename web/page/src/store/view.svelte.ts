import type { Component } from "svelte";
import type { GameOnBoard } from "./board.svelte.js";

export const TABS = [
  "game",
  "analysis",
  "setup",
  "games",
  "people",
  "archive",
  "live",
  "learn",
  "help",
] as const;
export type Tab = (typeof TABS)[number];

export const DIALOGS = ["new", "settings", "statistics"] as const;
export type DialogName = (typeof DIALOGS)[number];

/** An action offered by a message. */
export interface Offer {
  readonly label: string;
  readonly run: () => void;
}

/** The open parts of the page. */
export const view = $state<{
  tab: Tab;
  dialog: "" | DialogName;
  toast: string;
  offer?: Offer | undefined;
  /** The board of the open view, if it has its own, its width for a height of 1, and a function that closes it. */
  board?: { readonly Board: Component; readonly ratio: number; readonly close?: () => void } | undefined;
  /** ID of the open game against a person: the one in the address. */
  invitation?: string | undefined;
  /** The game on the board, if it is not the session's. */
  game?: GameOnBoard | undefined;
  /** Numbers of games against people with the user to move: all of them, and those that are not on the board. */
  turns: { readonly all: number; readonly elsewhere: number };
}>({
  tab: "game",
  dialog: "",
  toast: "",
  turns: { all: 0, elsewhere: 0 },
});

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

import type { Variant } from "millbrain";
import { lookOf, type StoneName } from "@millbrain/board/model";
import { followStones } from "../i18n/index.svelte.js";
import { settings } from "./settings.svelte.js";
import { shownGame } from "./shown.js";
import { view } from "./view.svelte.js";

/** The colours of games that have always had their own. */
const OWN: Partial<Record<Variant, StoneName>> = { mlyn: "blue-red", smess: "blue-red" };

/**
 * Returns the colours of a variant's stones, by default that on the board: those that the user has chosen, or the
 * game's own.
 */
export function stonesOf(variant: Variant = (view.board ?? shownGame()).rules.variant): StoneName {
  return settings.stones === "own" ? (OWN[variant] ?? "ivory") : settings.stones;
}

/** From now on, stones and boards have their colours, and the sides their names. */
export function keepLook(): void {
  followStones(stonesOf);
  $effect.root(() => {
    $effect(() => {
      for (const [name, value] of Object.entries(lookOf(stonesOf(), settings.wood))) {
        document.documentElement.style.setProperty(name, value ?? null);
      }
    });
  });
}

import type { Component } from "svelte";
import { idle, isSparing, pageKept } from "../engine/offline.js";
import { rules } from "../engine/rules.js";
import type { Tab } from "../store/view.svelte.js";

type Load = () => Promise<{ default: Component }>;

/** A view that reads or writes games. */
const withGames =
  (load: Load): Load =>
  async () => {
    const [view] = await Promise.all([load(), rules().loadGames()]);
    return view;
  };

/** Optional views: each is loaded when first shown, unless it was loaded before. */
export const PANELS: Record<Exclude<Tab, "game">, Load> = {
  analysis: () => import("./game/AnalysisPanel.svelte"),
  setup: () => import("./dialogs/SetupPanel.svelte"),
  games: withGames(() => import("./games/GamesPanel.svelte")),
  archive: withGames(() => import("./games/ArchivePanel.svelte")),
  live: () => import("./game/LivePanel.svelte"),
  people: withGames(() => import("../people/PeoplePanel.svelte")),
  learn: () => import("../learn/LearnPanel.svelte"),
  help: () => import("./dialogs/HelpPanel.svelte"),
};

export const DIALOGS = {
  new: () => import("./dialogs/NewGame.svelte"),
  settings: () => import("./dialogs/Settings.svelte"),
  statistics: () => import("./games/Statistics.svelte"),
} satisfies Record<string, Load>;

/** The most likely views. */
const WARM: readonly Load[] = [
  DIALOGS.new,
  PANELS.analysis,
  PANELS.games,
  PANELS.help,
  PANELS.setup,
  DIALOGS.settings,
  DIALOGS.statistics,
];

/** Loads views while the page is idle, so that they are available at once. */
export async function warm(): Promise<void> {
  if (isSparing()) return;
  await pageKept();
  for (const load of WARM) {
    await idle();
    // An error is reported when the view is opened.
    await load().catch(() => {});
  }
}

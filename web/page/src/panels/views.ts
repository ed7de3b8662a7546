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

/** Views that the board does without: each is fetched when it is first looked at, if it has not come before. */
export const PANELS: Record<Exclude<Tab, "game">, Load> = {
  analysis: () => import("./AnalysisPanel.svelte"),
  setup: () => import("./SetupPanel.svelte"),
  games: withGames(() => import("./GamesPanel.svelte")),
  archive: withGames(() => import("./ArchivePanel.svelte")),
  live: () => import("./LivePanel.svelte"),
  people: withGames(() => import("../people/PeoplePanel.svelte")),
  learn: () => import("../learn/LearnPanel.svelte"),
  help: () => import("./HelpPanel.svelte"),
};

export const DIALOGS = {
  new: () => import("./NewGame.svelte"),
  settings: () => import("./Settings.svelte"),
  statistics: () => import("./Statistics.svelte"),
} satisfies Record<string, Load>;

/** What is most likely to be looked at. */
const WARM: readonly Load[] = [
  DIALOGS.new,
  PANELS.analysis,
  PANELS.games,
  PANELS.help,
  PANELS.setup,
  DIALOGS.settings,
  DIALOGS.statistics,
];

/** Fetches views while there is nothing else to do, so that they are there at once when they are wanted. */
export async function warm(): Promise<void> {
  if (isSparing()) return;
  await pageKept();
  for (const load of WARM) {
    await idle();
    // Who opens it is told what is missing.
    await load().catch(() => {});
  }
}

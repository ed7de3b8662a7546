import type { Component } from "svelte";
import { idle, isSparing, pageKept } from "../engine/offline.js";
import { rules } from "../engine/rules.js";
import { t } from "../i18n/index.svelte.js";
import { go, type Part, toast } from "../store/view.svelte.js";
import { faultText } from "../texts/faults.js";

type Load = () => Promise<{ default: Component }>;

/** A view that reads or writes games. */
const withGames =
  (load: Load): Load =>
  async () => {
    const [view] = await Promise.all([load(), rules().loadGames()]);
    return view;
  };

/** Optional parts: each is loaded when first shown, unless it was loaded before. */
export const PANELS: Record<Exclude<Part, "game" | "home">, Load> = {
  lobby: withGames(() => import("../people/PeoplePanel.svelte")),
  lessons: () => import("../learn/LearnPanel.svelte"),
  puzzles: () => import("../learn/LearnPanel.svelte"),
  rules: () => import("./dialogs/HelpPanel.svelte"),
  analysis: () => import("./game/AnalysisPanel.svelte"),
  editor: () => import("./dialogs/SetupPanel.svelte"),
  import: withGames(() => import("./games/ImportPanel.svelte")),
  device: withGames(() => import("./games/GamesPanel.svelte")),
  archive: withGames(() => import("./games/ArchivePanel.svelte")),
  live: () => import("./game/LivePanel.svelte"),
  settings: () => import("./dialogs/Settings.svelte"),
};

export const DIALOGS = {
  new: () => import("./dialogs/NewGame.svelte"),
  statistics: () => import("./games/Statistics.svelte"),
} satisfies Record<string, Load>;

export const resultCard: Load = () => import("./game/ResultCard.svelte");

type Learn = typeof import("../learn/learn.svelte.js").learn;

/** Opens a lesson or a puzzle from outside of Learn. */
export async function openLearning(
  part: "lessons" | "puzzles",
  open: (learn: Learn) => void | Promise<void>,
): Promise<void> {
  try {
    const { learn } = await import("../learn/learn.svelte.js");
    await open(learn);
    go(part, learn.open?.id);
  } catch (error) {
    toast(t("fault.view", { text: faultText(error) }));
  }
}

/** The most likely views. */
const WARM: readonly Load[] = [
  resultCard,
  DIALOGS.new,
  PANELS.analysis,
  PANELS.device,
  PANELS.rules,
  PANELS.editor,
  PANELS.settings,
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

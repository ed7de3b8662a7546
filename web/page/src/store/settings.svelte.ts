import type { Lang } from "../i18n/langs.js";

export type Theme = "system" | "light" | "dark";

export interface Settings {
  lang: Lang | "";
  theme: Theme;
  /** Whether the evaluation bar is shown. */
  bar: boolean;
  /** Whether the values of the tables are shown on the board. */
  tables: boolean;
  /** Whether the position is analysed all the time. */
  analyse: boolean;
  /** Number of lines that are analysed. */
  lines: number;
  /** Whether games are gone through for mistakes when they end. */
  review: boolean;
  flipped: boolean;
  coordinates: boolean;
  engine: "auto" | "browser" | "server";
}

const KEY = "millbrain.settings";

const DEFAULTS: Settings = {
  lang: "",
  theme: "system",
  bar: true,
  tables: false,
  analyse: false,
  lines: 3,
  review: true,
  flipped: false,
  coordinates: true,
  engine: "auto",
};

function load(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    // Values of another type come from another version, or from somebody's hands.
    const fits = Object.entries(DEFAULTS).filter(([name, value]) => typeof kept[name] === typeof value);
    return { ...DEFAULTS, ...Object.fromEntries(fits.map(([name]) => [name, kept[name]])) };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings: Settings = $state(load());

/** Keeps the settings from now on, and lets the page show the theme. */
export function keepSettings(): void {
  $effect.root(() => {
    $effect(() => {
      const text = JSON.stringify(settings);
      try {
        localStorage.setItem(KEY, text);
      } catch {
        // Without storage they hold until the page is closed.
      }
    });
    $effect(() => {
      if (settings.theme === "system") delete document.documentElement.dataset["theme"];
      else document.documentElement.dataset["theme"] = settings.theme;
    });
  });
}

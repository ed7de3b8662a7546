import { follow, type Lang, loadLanguage } from "../i18n/index.svelte.js";
import { readSettings, type Settings } from "./games/stored.js";

const KEY = "millbrain.settings";

function load(): Settings {
  try {
    return readSettings(localStorage.getItem(KEY));
  } catch {
    // Without storage they are reset each time.
    return readSettings(null);
  }
}

export const settings: Settings = $state(load());
follow(settings);

/** Switches the page to another language when its texts are loaded. */
export async function chooseLanguage(name: Lang): Promise<void> {
  await loadLanguage(name);
  settings.lang = name;
}

/** From now on, stores the settings and applies the theme. */
export function keepSettings(): void {
  $effect.root(() => {
    $effect(() => {
      const text = JSON.stringify(settings);
      try {
        localStorage.setItem(KEY, text);
      } catch {
        // Without storage they last until the page is closed.
      }
    });
    $effect(() => {
      if (settings.theme === "system") delete document.documentElement.dataset["theme"];
      else document.documentElement.dataset["theme"] = settings.theme;
    });
  });
}

import "@fontsource-variable/figtree/wght.css";
import "@fontsource/fraunces/600.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { loadRules } from "./engine/rules.js";
import { readLink } from "./game/share.js";
import { keepLanguage, t } from "./i18n/index.svelte.js";
import { watch } from "./store/analysis.svelte.js";
import { review } from "./store/review.svelte.js";
import { server } from "./store/server.svelte.js";
import { session } from "./store/session.svelte.js";
import { keepSettings } from "./store/settings.svelte.js";
import "./styles/theme.css";
import "./styles/base.css";

const target = document.getElementById("app") as HTMLElement;

/** The game of the address, taken out of it: a reload goes on with the game as it is then. */
function sharedGame() {
  const shared = readLink(location.hash);
  if (shared) history.replaceState(null, "", location.pathname + location.search);
  return shared;
}

async function begin(): Promise<void> {
  keepSettings();
  keepLanguage();
  // Asked meanwhile: the engine is chosen when the first search begins.
  const asked = server.look();
  try {
    await loadRules();
  } catch (error) {
    target.textContent = t("loadFault", { text: error instanceof Error ? error.message : String(error) });
    return;
  }
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 400))]);
  session.resume(sharedGame());
  target.replaceChildren();
  mount(App, { target });
  performance.mark("playable");
  watch.start();
  review.start();
  addEventListener("hashchange", () => {
    const shared = sharedGame();
    if (shared) session.resume(shared);
  });
  if (import.meta.env.PROD && "serviceWorker" in navigator) {
    // Without one the page works all the same, only not offline.
    navigator.serviceWorker.register("sw.js").catch(() => {});
  }
}

void begin();

import "@fontsource-variable/figtree/wght.css";
import "@fontsource/fraunces/600.css";
import type { Message } from "millbrain";
import { mount } from "svelte";
import App from "./App.svelte";
import { assets } from "./engine/assets.js";
import { looking, playing } from "./engine/client.js";
import { keepPage, stockUp } from "./engine/offline.js";
import { loadRules } from "./engine/rules.js";
import { Fault, quoted } from "./game/fault.js";
import { readLink } from "./game/share.js";
import { turn } from "./game/slices.js";
import { variantInfo } from "./game/variants.js";
import type { Key } from "./texts/en/page.js";
import { keepLanguage, loadLanguage, t } from "./i18n/index.svelte.js";
import { hasKeys } from "./people/keys.svelte.js";
import { faultText, whyText } from "./texts/faults.js";
import NoHost from "./panels/NoHost.svelte";
import { warm } from "./panels/views.js";
import { variantName } from "./texts/words.js";
import { watch } from "./store/analysis.svelte.js";
import { arrives, isPack } from "./store/arriving.svelte.js";
import { followHistory } from "./store/history.svelte.js";
import { keepLook } from "./store/look.svelte.js";
import { review } from "./store/review.svelte.js";
import { server } from "./store/server.svelte.js";
import { session } from "./store/session.svelte.js";
import { keepSettings, settings } from "./store/settings.svelte.js";
import { listen } from "./store/sound.svelte.js";
import { tables } from "./store/tables.svelte.js";
import { go, toast } from "./store/view.svelte.js";
import "@millbrain/board/theme.css";
import "./styles/theme.css";
import "./styles/base.css";

const target = document.getElementById("app") as HTMLElement;

/** Whether the page comes from a millbrain server. */
let asked = Promise.resolve();

/** Opens the game of a link. The address is then that of the board: a reload continues the game as it is. */
function followLink(hash: string): void {
  session.follow(() => {
    const shared = readLink(hash);
    if (shared) go("game");
    else if (hash.includes("=")) throw new Fault("fault.noGame", { text: quoted(hash) });
    return shared;
  });
}

/** Starts a game of the variant that the page is named after, such as `mlyn.html`, if another one is on the board. */
function followName(): void {
  const name = /([^/]+?)(\.html)?$/.exec(location.pathname)?.[1];
  const variant = variantInfo(name)?.name;
  if (name === undefined || variant === undefined) return;
  history.replaceState(history.state, "", `./${location.search}${location.hash}`);
  settings.alias = name === variant ? "" : name;
  if (variant !== session.rules.variant) session.start({ variant });
  go("game");
}

/** Milliseconds until files of other games are fetched, unless an engine is used earlier. */
const STOCK_UP_AFTER = 30_000;

/** Reports events of the engines to the player, visibly and to screen readers. */
function tellOfEngines(): void {
  const tell = (key: Key, why: string | Message = "") => {
    const text = t(key, { variant: variantName(session.rules), text: whyText(why) }).trim();
    session.notice = text;
    toast(text);
  };
  for (const desk of [playing, looking]) {
    desk.listener = {
      onRestart: () => tell("engineRestarted"),
      onMissing: (file, why) => {
        // Analyse says so itself.
        if (desk === looking && tables.lack(file, session.rules.variant, why)) return;
        if (!isPack(file) || session.usesPack) tell("engineIncomplete", why);
      },
      onDownload: (download) => arrives(download, desk === playing),
    };
  }
}

/** Fetches files with low priority: after the engine and its network, for which the first reply waits. */
async function fetchRest(): Promise<void> {
  playing.listener.onAnswer = (rules) => stockUp(rules, arrives);
  // Two human players need no engine now, but perhaps later.
  setTimeout(() => stockUp(session.rules, arrives), STOCK_UP_AFTER);
  // A failure now is reported on the next request.
  if (session.humans.length < 2 && !session.end) await playing.engine(session.rules).catch(() => {});
  keepPage();
  void warm();
}

async function begin(): Promise<void> {
  keepSettings();
  keepLook();
  keepLanguage();
  if (location.protocol === "file:") {
    // Browsers do not fetch files from a local folder.
    target.replaceChildren();
    mount(NoHost, { target });
    return;
  }
  // Requested while the rules are loaded: a late font change would move the layout.
  for (const font of ["16px 'Figtree Variable'", "600 16px Fraunces"])
    document.fonts.load(font).catch(() => {});
  // Requested in parallel: the engine is chosen when the first search begins.
  asked = server.look();
  // Without its texts the page is in English.
  const language = loadLanguage().catch(() => {});
  try {
    await loadRules({ assets, games: false });
  } catch (error) {
    target.textContent = t("loadFault", { text: faultText(error) });
    return;
  }
  await language;
  tellOfEngines();
  tables.start();
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 400))]);
  if (session.resume()) go("home");
  followName();
  followHistory(followLink);
  if (import.meta.env.PROD) void fetchRest();
  // The rules and the first view are two pieces of work. Between them the worker of the engine is created: the first
  // reply waits for its files.
  await turn();
  target.replaceChildren();
  mount(App, { target });
  performance.mark("playable");
  watch.start();
  review.start();
  listen();
  // The clock continues with the value it had when the page was left.
  addEventListener("pagehide", () => session.keep());
  // Games against people continue in any view.
  await asked;
  if (server.info?.people && hasKeys()) (await import("./people/people.svelte.js")).people.connect();
}

void begin();

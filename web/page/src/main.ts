import "@fontsource-variable/figtree/wght.css";
import "@fontsource/fraunces/600.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { assets } from "./engine/assets.js";
import { looking, playing } from "./engine/desk.js";
import { keepPage, stockUp } from "./engine/offline.js";
import { loadRules, rules } from "./engine/rules.js";
import { Fault, quoted } from "./game/fault.js";
import { readLink } from "./game/share.js";
import type { Key } from "./i18n/en.js";
import { keepLanguage, loadLanguage, t } from "./i18n/index.svelte.js";
import { hasKeys } from "./people/keys.svelte.js";
import { invitation } from "./people/link.js";
import { faultText } from "./panels/faults.js";
import NoHost from "./panels/NoHost.svelte";
import { warm } from "./panels/views.js";
import { variantName } from "./panels/words.js";
import { watch } from "./store/analysis.svelte.js";
import { arrives, isPack } from "./store/arriving.svelte.js";
import { followHistory } from "./store/history.svelte.js";
import { review } from "./store/review.svelte.js";
import { server } from "./store/server.svelte.js";
import { session } from "./store/session.svelte.js";
import { keepSettings } from "./store/settings.svelte.js";
import { listen } from "./store/sound.svelte.js";
import { toast, view } from "./store/view.svelte.js";
import "@millbrain/board/theme.css";
import "./styles/theme.css";
import "./styles/base.css";

const target = document.getElementById("app") as HTMLElement;

/** Whether the page comes from a server of ours. */
let asked = Promise.resolve();

/** Opens the game of the address, and takes it out of there: a reload goes on with the game as it is then. */
function followAddress(): void {
  const { hash } = location;
  if (/^#play=/.test(hash)) void followInvitation(hash);
  else
    session.follow(() => {
      const shared = readLink(hash);
      if (shared) history.replaceState(history.state, "", location.pathname + location.search);
      else if (hash.includes("=")) throw new Fault("fault.noGame", { text: quoted(hash) });
      return shared;
    });
}

/** Goes to a game between people. It stays in the address: whoever opens the page again there goes on with that game. */
async function followInvitation(hash: string): Promise<void> {
  view.tab = "people";
  await asked;
  const isHere = server.info?.people === true;
  if (isHere) view.invitation = invitation(hash);
  else view.tab = "game";
  session.follow(() => {
    if (!isHere) throw new Fault("fault.noPlay");
    if (invitation(hash) === undefined) throw new Fault("fault.noGame", { text: quoted(hash) });
    return undefined;
  });
}

/** Begins a game of the variant that the page is named after, such as `mlyn.html`, if another one is on the board. */
function followName(): void {
  const variant = /([^/]+?)(\.html)?$/.exec(location.pathname)?.[1];
  if (
    !rules()
      .variants()
      .some(({ name }) => name === variant)
  )
    return;
  history.replaceState(history.state, "", `./${location.search}${location.hash}`);
  if (variant !== session.rules.variant) session.start({ variant: variant as string });
}

/** Milliseconds until other games are fetched, should no engine be asked before. */
const STOCK_UP_AFTER = 30_000;

/** Lets the player know what happens to the engines, in sight and for those who listen. */
function tellOfEngines(): void {
  const tell = (key: Key, why = "") => {
    const text = t(key, { variant: variantName(session.rules), text: faultText(why) }).trim();
    session.notice = text;
    toast(text);
  };
  for (const desk of [playing, looking]) {
    desk.listener = {
      onRestart: () => tell("engineRestarted"),
      onMissing: (file, why) => {
        if (!isPack(file) || session.usesPack) tell("engineIncomplete", why);
      },
      onDownload: (download) => arrives(download, desk === playing),
    };
  }
}

/** Fetches what nobody waits for: after the engine and its network, for which the first reply waits. */
async function fetchRest(): Promise<void> {
  playing.listener.onAnswer = (rules) => stockUp(rules, arrives);
  // Two who play each other need no engine now, and perhaps one later.
  setTimeout(() => stockUp(session.rules, arrives), STOCK_UP_AFTER);
  // What cannot be had now is told when it is asked for.
  if (session.humans.length < 2 && !session.end) await playing.engine(session.rules).catch(() => {});
  keepPage();
  void warm();
}

async function begin(): Promise<void> {
  keepSettings();
  keepLanguage();
  if (location.protocol === "file:") {
    // Browsers fetch nothing from a folder.
    target.replaceChildren();
    mount(NoHost, { target });
    return;
  }
  // Sent for while the rules are loaded: letters that change later would move what stands below them.
  for (const font of ["16px 'Figtree Variable'", "600 16px Fraunces"])
    document.fonts.load(font).catch(() => {});
  // Asked meanwhile: the engine is chosen when the first search begins.
  asked = server.look();
  // Without its texts the page speaks English.
  const language = loadLanguage().catch(() => {});
  try {
    await loadRules({ assets, games: false });
  } catch (error) {
    target.textContent = t("loadFault", { text: faultText(error) });
    return;
  }
  await language;
  tellOfEngines();
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 400))]);
  session.resume();
  followName();
  followAddress();
  followHistory();
  target.replaceChildren();
  mount(App, { target });
  performance.mark("playable");
  if (import.meta.env.PROD) void fetchRest();
  watch.start();
  review.start();
  listen();
  // What the clock shows when one leaves is what one comes back to.
  addEventListener("pagehide", () => session.keep());
  addEventListener("hashchange", followAddress);
  // Games against people go on whatever is looked at.
  await asked;
  if (server.info?.people && hasKeys()) (await import("./people/people.svelte.js")).people.connect();
}

void begin();

import { untrack } from "svelte";
import { t } from "../i18n/index.svelte.js";
import { addressOf, readAddress } from "./address.js";
import { server } from "./server.svelte.js";
import { session } from "./session.svelte.js";
import { go, type Spot, view } from "./view.svelte.js";

/** What is open on the page. */
interface Opened extends Spot {
  readonly dialog: typeof view.dialog;
}

/** An entry of the browser's history: what is open, and what it was opened from. */
interface Entry {
  readonly place?: Opened;
  readonly from?: Opened;
}

const isSame = (a: Opened | undefined, b: Opened): boolean =>
  a?.part === b.part && a.item === b.item && a.dialog === b.dialog;
const entry = (): Entry => (history.state as Entry | null) ?? {};

/**
 * From now on, creates a history entry for each part, item and dialog of the page: Back closes what was opened last.
 * Closing it in another way also goes back, so that no entries accumulate. Other addresses are passed to `follow`.
 */
export function followHistory(follow: (hash: string) => void): void {
  const now = (): Opened => ({ part: view.part, item: view.item, dialog: view.dialog });
  let shown = now();
  /** Whether the page itself is going back. */
  let isGoing = false;

  function update(place: Opened): void {
    if (isGoing) return;
    const { place: here = shown, from } = entry();
    const wasItem = shown.item !== undefined && shown.part === place.part;
    const isClosed = (shown.dialog !== "" && place.dialog === "") || (wasItem && place.item === undefined);
    // One item after another is one entry: Back leads to their list.
    const isReplaced = shown.dialog !== "" || (wasItem && place.dialog === "");
    if (isSame(here, place)) {
      // Already there.
    } else if (isClosed && isSame(from, place)) {
      isGoing = true;
      history.back();
    } else if (isReplaced) history.replaceState({ place, from }, "", addressOf(place));
    else history.pushState({ place, from: shown }, "", addressOf(place));
    shown = place;
  }
  function show({ part, item, dialog }: Opened): void {
    go(part, item);
    view.dialog = dialog;
  }
  /** Opens the address of an entry that is not from the page: of a link, or typed. */
  function arrive(from?: Opened): void {
    const { hash } = location;
    const spot = readAddress(hash);
    if (spot) go(spot.part, spot.item);
    else if (hash !== "") follow(hash);
    view.dialog = "";
    shown = now();
    history.replaceState(
      { place: shown, from },
      "",
      hash === "" && shown.part === "game" ? "" : addressOf(shown),
    );
  }

  arrive(entry().from);
  addEventListener("popstate", () => {
    const { place } = entry();
    if (isGoing) {
      isGoing = false;
      update(now());
    } else if (place !== undefined) {
      show(place);
      shown = now();
    }
  });
  addEventListener("hashchange", () => {
    if (entry().place === undefined) arrive(shown);
  });
  $effect.root(() => {
    $effect(() => {
      const place = now();
      untrack(() => update(place));
    });
    // A link may lead to a part that needs a server.
    $effect(() => {
      if (!server.isKnown || server.offers(view.part)) return;
      if (view.part === "lobby") session.fault = t("fault.link", { text: t("fault.noPlay") });
      go("game");
    });
  });
}

import { untrack } from "svelte";
import { linkTo } from "../people/link.js";
import { type Tab, view } from "./view.svelte.js";

/** What of the page is open: the tab, a dialog, whether the tab shows a board of its own, and a game against a person. */
interface Place {
  readonly tab: Tab;
  readonly dialog: typeof view.dialog;
  readonly hasBoard: boolean;
  readonly invitation: string | undefined;
}

/** What an entry of the browser's history holds: the place, and the one that it was opened from. */
interface Entry {
  readonly place?: Place;
  readonly from?: Place;
}

const isSame = (a: Place | undefined, b: Place): boolean => JSON.stringify(a) === JSON.stringify(b);
/** The address of a place: only a game against a person has one of its own. */
const address = ({ tab, invitation }: Place): string =>
  tab === "people" && invitation !== undefined ? linkTo(invitation) : location.pathname + location.search;
const entry = (): Entry => (history.state as Entry | null) ?? {};

/**
 * Gives each place of the page an entry of the history from now on: Back closes what was opened last. Whoever closes it in
 * another way goes back too, so that no entries pile up.
 */
export function followHistory(): void {
  const now = (): Place => ({
    tab: view.tab,
    dialog: view.dialog,
    hasBoard: view.board !== undefined,
    invitation: view.invitation,
  });
  let shown = now();
  /** Whether this page itself goes back. */
  let isGoing = false;

  function follow(place: Place): void {
    if (isGoing) return;
    const { place: here = shown, from } = entry();
    // Who changes the address takes the entry's place away.
    if (entry().place === undefined) history.replaceState({ place: here }, "");
    const isClosed =
      (shown.dialog !== "" && place.dialog === "") ||
      (shown.hasBoard && !place.hasBoard) ||
      (shown.invitation !== undefined && place.invitation === undefined);
    if (isSame(here, place)) {
      // It is there already.
    } else if (isClosed && isSame(from, place)) {
      isGoing = true;
      history.back();
    } else if (shown.dialog !== "") history.replaceState({ place, from }, "", address(place));
    else history.pushState({ place, from: shown }, "", address(place));
    shown = place;
  }
  function show({ tab, dialog, hasBoard, invitation }: Place): void {
    view.tab = tab;
    view.dialog = dialog;
    view.invitation = invitation;
    if (hasBoard) return;
    view.board?.close?.();
    // At once: until its view is drawn again it would be taken for one that has just been opened.
    view.board = undefined;
  }

  history.replaceState({ ...entry(), place: shown }, "");
  addEventListener("popstate", () => {
    const { place } = entry();
    if (isGoing) {
      isGoing = false;
      follow(now());
    } else if (place !== undefined) {
      show(place);
      // A board that was closed does not come back.
      shown = now();
    }
  });
  $effect.root(() => {
    $effect(() => {
      const place = now();
      untrack(() => follow(place));
    });
  });
}

import { untrack } from "svelte";
import { linkTo } from "../people/link.js";
import { type Tab, view } from "./view.svelte.js";

/** The open parts of the page: the tab, a dialog, whether the tab shows its own board, and a game against a person. */
interface Place {
  readonly tab: Tab;
  readonly dialog: typeof view.dialog;
  readonly hasBoard: boolean;
  readonly invitation: string | undefined;
}

/** An entry of the browser's history: the place, and the one that it was opened from. */
interface Entry {
  readonly place?: Place;
  readonly from?: Place;
}

const isSame = (a: Place | undefined, b: Place): boolean => JSON.stringify(a) === JSON.stringify(b);
/** Returns the address of a place: only a game against a person has its own. */
const address = ({ tab, invitation }: Place): string =>
  tab === "people" && invitation !== undefined ? linkTo(invitation) : location.pathname + location.search;
const entry = (): Entry => (history.state as Entry | null) ?? {};

/**
 * From now on, creates a history entry for each place of the page: Back closes what was opened last. Closing it in
 * another way also goes back, so that no entries accumulate.
 */
export function followHistory(): void {
  const now = (): Place => ({
    tab: view.tab,
    dialog: view.dialog,
    hasBoard: view.board !== undefined,
    invitation: view.invitation,
  });
  let shown = now();
  /** Whether the page itself is going back. */
  let isGoing = false;

  function follow(place: Place): void {
    if (isGoing) return;
    const { place: here = shown, from } = entry();
    // A changed address removes the entry's place.
    if (entry().place === undefined) history.replaceState({ place: here }, "");
    const isClosed =
      (shown.dialog !== "" && place.dialog === "") ||
      (shown.hasBoard && !place.hasBoard) ||
      (shown.invitation !== undefined && place.invitation === undefined);
    if (isSame(here, place)) {
      // Already there.
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
    // Immediately: until its view is redrawn it would be mistaken for a newly opened one.
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
      // A closed board does not reappear.
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

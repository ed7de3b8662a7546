import { ITEM_PARTS, PLACES, type Part, type Place, placeOf, type Spot } from "./view.svelte.js";

/** Returns the address of a part or an item within the page, such as `#/learn/puzzles`. */
export function addressOf({ part, item }: Spot): string {
  const place = placeOf(part);
  const isFirst = part === PLACES[place][0];
  return [
    "#",
    place,
    ...(isFirst && item === undefined ? [] : [part]),
    ...(item === undefined ? [] : [item]),
  ].join("/");
}

/** The inverse of `addressOf`. It also reads older links to games between people, such as `#play=0123456789ab`. */
export function readAddress(hash: string): Spot | undefined {
  const [, game] = /^#play=([0-9a-f]{12})$/.exec(hash) ?? [];
  if (game !== undefined) return { part: "lobby", item: game };
  const [, place = "", name, item] = /^#\/(\w+)(?:\/(\w+)(?:\/([\w.]+))?)?$/.exec(hash) ?? [];
  if (!Object.hasOwn(PLACES, place)) return undefined;
  const parts: readonly Part[] = PLACES[place as Place];
  const part = name === undefined ? parts[0] : parts.find((part) => part === name);
  return part && { part, item: ITEM_PARTS.includes(part) ? item : undefined };
}

/** Returns an address of the page with its host, to send to others. */
export const linkTo = (spot: Spot): string => new URL(addressOf(spot), document.baseURI).href;

/** The secrets of the seats of this browser, by the games that they are for: whoever has one plays there. */
const KEY = "millbrain.seats";
/** So many games are remembered. */
const REMEMBERED = 200;

function read(): [string, string][] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? (kept as [string, string][]).filter((pair) => Array.isArray(pair)) : [];
  } catch {
    return [];
  }
}

export function seatOf(game: string): string | undefined {
  return read().find(([id]) => id === game)?.[1];
}

export function keepSeat(game: string, token: string): void {
  const others = read().filter(([id]) => id !== game);
  try {
    localStorage.setItem(KEY, JSON.stringify([[game, token], ...others].slice(0, REMEMBERED)));
  } catch {
    // It is forbidden or full: the seat lasts as long as the window.
  }
}

export function newToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

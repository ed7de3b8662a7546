/** Returns the ID of the game between people in an address such as `#play=0123456789ab`. */
export function invitation(hash: string): string | undefined {
  return /^#play=([0-9a-f]{12})$/.exec(hash)?.[1];
}

/** Returns the address of a game, the same for the opponent and for spectators. */
export function linkTo(game: string): string {
  return new URL(`#play=${game}`, document.baseURI).href;
}

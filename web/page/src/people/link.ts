/** The game between people that an address leads to: `#play=0123456789ab`. */
export function invitation(hash: string): string | undefined {
  return /^#play=([0-9a-f]{12})$/.exec(hash)?.[1];
}

/** The address of a game: the same for the opponent and for those who watch. */
export function linkTo(game: string): string {
  return new URL(`#play=${game}`, document.baseURI).href;
}

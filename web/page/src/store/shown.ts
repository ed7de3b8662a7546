import type { GameOnBoard } from "./board.svelte.js";
import { session } from "./session.svelte.js";
import { view } from "./view.svelte.js";

/** Returns the game on the board: one against a person, or that of the session. */
export const shownGame = (): GameOnBoard => view.game ?? session;

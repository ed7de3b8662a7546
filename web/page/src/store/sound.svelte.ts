import { untrack } from "svelte";
import { Speaker, soundsOf } from "../sound/sounds.js";
import { rules } from "../engine/rules.js";
import { moves } from "../game/tree.js";
import type { GameOnBoard } from "./board.svelte.js";
import { settings } from "./settings.svelte.js";
import { shownGame } from "./shown.js";

/** Plays sounds for events on the board: moves when made or stepped through, mills, and the end of the game. */
export function listen(speaker = new Speaker()): void {
  for (const gesture of ["pointerdown", "keydown"])
    addEventListener(gesture, () => settings.sound && speaker.unlock(), { capture: true });
  const heardOf = ({ key, at, end, pick }: GameOnBoard) => ({
    key,
    at,
    ended: end !== null,
    closing: pick.to !== undefined,
  });
  let last = heardOf(shownGame());
  $effect.root(() => {
    $effect(() => {
      const game = shownGame();
      const now = heardOf(game);
      const before = last;
      last = now;
      if (!settings.sound || now.key !== before.key) return;
      untrack(() => {
        const { rules: ruleset, fen, tree, state, node } = game;
        const move = game.parts(node.move);
        if (now.at !== before.at && node.parent === before.at && move) {
          const from = rules().state(ruleset, { fen, moves: moves(tree, node.parent) });
          const heard = soundsOf(from, state, move, now.ended);
          // A mill closed by hand was already heard.
          speaker.play(before.closing ? heard.filter((name) => name !== "mill" && name !== "place") : heard);
        } else if (now.at === before.at && now.ended && !before.ended) speaker.play(["end"]);
        else if (now.closing && !before.closing) speaker.play(["place", "mill"]);
      });
    });
  });
}

// Reads games outside the page's thread, so that even a long one does not block it, and stores them.
import { type Note, noteOf } from "millbrain";
import { loadRules } from "../../engine/rules.js";
import { addGames } from "./database.js";
import { readAll } from "./read.js";
import type { Answer, Question } from "./reading.js";

const answer = (message: Answer) => postMessage(message);
const NEVER = new AbortController().signal;

async function read({ text, like, assets }: Question): Promise<void> {
  await loadRules({ assets });
  let reported = 0;
  const { games, bad } = await readAll(text, like, NEVER, (share) => {
    // A message for each of thousands would take longer than the game.
    if (share - reported < 0.01) return;
    reported = share;
    answer({ share });
  });
  let unkept: Note | undefined;
  try {
    await addGames(games);
  } catch (error) {
    unkept = noteOf(error);
  }
  answer({ games: games.length, first: games[0], bad: bad.length, firstBad: bad[0], unkept });
}

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  read(data).catch((error: unknown) => answer({ failed: noteOf(error) }));
});

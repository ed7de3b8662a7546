import { type GamePiece, type GameText, type Ruleset } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { Fault, quoted } from "../game/fault.js";
import { readLink } from "../game/share.js";
import { inSlices } from "../game/slices.js";
import { sourceOf } from "../game/source.js";
import { ofRules, treeOf } from "../game/text.js";
import { emptyTree, leaf, moves, path, ROOT } from "../game/tree.js";
import { ruleset } from "../game/variants.js";
import { t } from "../i18n/index.svelte.js";
import { faultText } from "../panels/faults.js";
import { closing } from "./files.js";
import { library, newKey } from "./games.svelte.js";
import { checkGame, session } from "./session.svelte.js";
import type { ListedGame } from "./stored.js";
import { toast } from "./view.svelte.js";

/** A game of a text that cannot be read. */
export interface BadGame {
  /** Among the games of the text, from 1. */
  readonly number: number;
  /** Its first line, from 1. */
  readonly line: number;
  readonly error: unknown;
}

function toListed(game: GameText): ListedGame {
  const rules = ruleset(game.variant, game.options);
  const tree = treeOf(game.nodes);
  const { fen } = game;
  const end = leaf(tree, ROOT);
  const state = engineRules().state(rules, { fen, moves: moves(tree, end) });
  const closed = closing(game.end, end, state);
  return {
    key: newKey(),
    revision: newKey(),
    saved: Date.now(),
    rules,
    fen: checkGame({ rules, fen, tree }),
    tree,
    at: end,
    white: game.white || "–",
    black: game.black || "–",
    plies: path(tree, end).length,
    closed,
    outcome: closed?.outcome ?? (state.ending ? ofRules(state.ending).outcome : undefined),
  };
}

/**
 * Reads the games of a text in slices; lists of moves by these rules. Games that cannot be read are passed over.
 * @throws {Fault} for a text without games, and the signal's reason
 */
export async function readAll(
  text: string,
  like: Ruleset,
  signal: AbortSignal,
  progress: (share: number) => void = () => {},
): Promise<{ games: ListedGame[]; bad: BadGame[] }> {
  const games: ListedGame[] = [];
  const bad: BadGame[] = [];
  let number = 0;
  const read = ({ text: piece, line, end }: GamePiece) => {
    number += 1;
    try {
      games.push(...engineRules().readGames(piece, like).games.map(toListed));
    } catch (error) {
      bad.push({ number, line, error });
    }
    progress(end / text.length);
  };
  await inSlices(engineRules().splitGames(text), read, signal);
  if (number === 0) throw new Fault("fault.noMoves");
  return { games, bad };
}

/**
 * The rules by which a position can be played: these, or else those of the first variant that takes it.
 * @throws what is said against it by the first of these rules whose board has as many rows
 */
export function rulesFor(fen: string, like: Ruleset): Ruleset {
  const rows = (text: string) => text.split(/\s/, 1)[0]?.split("/").length;
  const variants = engineRules().variants();
  const faults: { isNear: boolean; error: unknown }[] = [];
  for (const rules of [like, ...variants.map(({ name }) => ruleset(name))]) {
    try {
      engineRules().state(rules, { fen });
      return rules;
    } catch (error) {
      faults.push({ isNear: rows(fen) === rows(engineRules().state(rules).fen), error });
    }
  }
  throw (faults.find(({ isNear }) => isNear) ?? faults[0])?.error;
}

function badText(bad: readonly BadGame[]): string {
  const [first] = bad;
  if (first === undefined) return "";
  const { number, line, error } = first;
  return t("badGames", { n: bad.length, number, line, text: faultText(error) });
}

/** What somebody brings along: games, a position or a link. It is read whether or not one looks on. */
class Intake {
  /** Share that is read; nothing while nothing is. */
  progress = $state<number | undefined>();
  /** What was wrong with the last one. */
  fault = $state("");
  #controller = new AbortController();

  cancel(): void {
    this.#controller.abort();
  }

  /** Opens what a text holds, and keeps its games; resolves to their number, 0 if it is refused or called off. */
  async take(text: string): Promise<number> {
    if (this.progress !== undefined) return 0;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    this.fault = "";
    this.progress = 0;
    try {
      return await this.#open(text, signal);
    } catch (error) {
      if (signal.aborted) toast(t("importCancelled"));
      else this.fault = faultText(error);
      return 0;
    } finally {
      this.progress = undefined;
    }
  }

  async #open(text: string, signal: AbortSignal): Promise<number> {
    const source = sourceOf(text);
    if (source.kind === "link") {
      const shared = readLink(source.hash);
      if (shared === undefined) throw new Fault("fault.noGame", { text: quoted(text.trim()) });
      session.openShared(shared);
      return 1;
    }
    if (source.kind === "fen") {
      const rules = rulesFor(source.fen, session.rules);
      session.start(rules, { fen: checkGame({ rules, fen: source.fen, tree: emptyTree() }) });
      return 1;
    }
    const { games, bad } = await readAll(text, session.rules, signal, (share) => (this.progress = share));
    const [first] = games;
    if (first === undefined) {
      // Of a single game everybody knows which it is.
      if (bad.length === 1) throw bad[0]?.error;
      this.fault = badText(bad);
      return 0;
    }
    try {
      await library.add(games, signal);
    } finally {
      // Without a database one can see it at least.
      if (!signal.aborted) session.open(first, t("imported", { n: games.length }));
    }
    this.fault = badText(bad);
    return games.length;
  }
}

export const intake = new Intake();

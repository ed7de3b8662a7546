import { EngineError, type Ruleset } from "millbrain";
import { rules as engineRules } from "../../engine/rules.js";
import { Fault, quoted } from "../../game/fault.js";
import { checkGame } from "../../game/played.js";
import { readLink } from "../../game/share.js";
import { sourceOf } from "../../game/source.js";
import { emptyTree } from "../../game/tree.js";
import { ruleset } from "../../game/variants.js";
import { t } from "../../i18n/index.svelte.js";
import { faultText } from "../../texts/faults.js";
import { library } from "./games.svelte.js";
import { readAside, type Reading } from "./reading.js";
import { session } from "../session.svelte.js";
import { toast } from "../view.svelte.js";

/**
 * Returns rules that allow a position: these, or else those of the first variant that accepts it.
 * @throws the error of the first of these rules whose board has the same number of rows
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

/** Describes the faults of unreadable games; a single game needs no number. */
function badText({ games, bad, firstBad }: Reading): string {
  if (firstBad === undefined) return "";
  const { number, line, fault } = firstBad;
  const text = faultText(fault);
  return games === 0 && bad === 1 ? text : t("badGames", { n: bad, number, line, text });
}

/** Imports: games, a position or a link. They continue to be read in any view. */
class Intake {
  /** Share read so far; `undefined` if nothing is being read. */
  progress = $state<number | undefined>();
  /** Fault of the last import. */
  fault = $state("");
  #controller = new AbortController();

  cancel(): void {
    this.#controller.abort();
  }

  /** Opens the contents of a text and stores its games; resolves to their number, 0 if refused or cancelled. */
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
    const read = await readAside(text, session.rules, signal, (share) => (this.progress = share));
    if (read.first === undefined && read.firstBad === undefined) throw new Fault("fault.noMoves");
    if (read.first !== undefined) {
      library.changed();
      // Without a database it can at least be shown.
      session.openListed(read.first, t("imported", { n: read.games }));
    }
    if (read.unkept) throw new EngineError(read.unkept.message, read.unkept.id, read.unkept.values);
    this.fault = badText(read);
    return read.games;
  }
}

export const intake = new Intake();

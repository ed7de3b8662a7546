import type { Message, Ruleset, TableReading, Variant } from "millbrain";
import { looking, playing } from "../engine/client.js";
import { addressBeside, addressOf } from "../engine/tables.js";
import { server } from "./server.svelte.js";
import { settings } from "./settings.svelte.js";

/** Whether a file of the engine is a table. */
const isTable = (file: string): boolean => /\.(wdl|dtw)$/.test(file);

/** The tables of the engines in this browser: files of the page, and a compact table on a host. */
class Tables {
  /** A game with a table that could not be fetched, and why. */
  missing = $state.raw<{ readonly variant: Variant; readonly why: string | Message } | undefined>();
  /** Number of times that missing tables may have become available. */
  returns = $state(0);

  /** The address of the one on a host; empty without one. */
  address = $state("");
  /** Name of that file. */
  readonly file = $derived(this.address.replace(/^.*\//, ""));
  /** Requests and bytes since the page was opened; `undefined` until it has answered. */
  read = $state.raw<Omit<TableReading, "address"> | undefined>();
  /** Why that file is not in use. */
  fault = $state("");

  /** Lets the engines use tables, and follows what they report. */
  start(): void {
    for (const desk of [playing, looking]) {
      desk.tableFor = (rules) => this.#choose(rules);
      desk.listener.onReading = (reading) => this.#add(reading);
      desk.listener.onNote = (note) => {
        if (this.address !== "" && note.includes(this.address)) this.fault = note;
      };
    }
    addEventListener("online", () => {
      if (this.missing === undefined) return;
      this.missing = undefined;
      // A new game allows another attempt.
      void looking.newGame().then(() => (this.returns += 1));
    });
  }

  /** Records a file that the engine for analyses lacks; returns whether it is a table. */
  lack(file: string, variant: Variant, why: string | Message): boolean {
    if (!isTable(file)) return false;
    this.missing = { variant, why };
    return true;
  }

  /** Returns the address of the table for these rules: the user's, or one beside the page. */
  async #choose(rules: Ruleset): Promise<string> {
    const own = settings.table.trim();
    // A server answers from its own tables.
    const beside = () => (server.info === undefined ? addressBeside(rules) : "");
    const address = own === "" ? await beside() : addressOf(own);
    if (address !== this.address) {
      this.address = address;
      this.read = undefined;
      this.fault = "";
    }
    return address;
  }

  #add({ address, requests, received }: TableReading): void {
    if (address !== this.address) return;
    const before = this.read ?? { requests: 0, received: 0 };
    this.read = { requests: before.requests + requests, received: before.received + received };
    this.fault = "";
  }
}

export const tables = new Tables();

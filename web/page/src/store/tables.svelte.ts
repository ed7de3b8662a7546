import type { Ruleset, TableReading } from "millbrain";
import { looking, playing } from "../engine/client.js";
import { addressBeside, addressOf } from "../engine/tables.js";
import { server } from "./server.svelte.js";
import { settings } from "./settings.svelte.js";

/** The compact table on a host that the engines in this browser use, and what they have read of it. */
class Tables {
  /** Its address; empty without one. */
  address = $state("");
  /** Requests and bytes since the page was opened; `undefined` until it has answered. */
  read = $state.raw<Omit<TableReading, "address"> | undefined>();
  /** Why it is not in use. */
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

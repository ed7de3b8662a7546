import { looking, playing, type Place } from "../engine/client.js";
import { askServer, type ServerInfo } from "../engine/server.js";
import { settings } from "./settings.svelte.js";
import type { Part } from "./view.svelte.js";

/** The server of the page, if it is a millbrain server. */
class Server {
  info = $state.raw<ServerInfo | undefined>();
  /** Whether it has answered, or there is none. */
  isKnown = $state(false);

  /** Whether it offers an engine: while it shows a match it does not. */
  get hasEngine(): boolean {
    return this.info !== undefined && this.info.engine !== null;
  }

  /** Whether a part of the page can be used here: some need features of the server. */
  offers(part: Part): boolean {
    const { info } = this;
    if (part === "archive") return info !== undefined && info.archive !== false;
    if (part === "lobby") return info?.people === true;
    return part !== "live" || info?.live === true;
  }

  /** Search threads of the server's engine. */
  get threads(): number {
    return Math.max(1, Math.floor(this.info?.engine?.threads ?? this.info?.threads ?? 1));
  }

  /** Where searches run: on the server's engine only if it offers more, unless the user chooses otherwise. */
  get place(): Place {
    const { threads } = this;
    const isServer =
      this.hasEngine && (settings.engine === "server" || (settings.engine === "auto" && threads > 1));
    return isServer ? { at: "server", threads } : { at: "browser", threads: 1 };
  }

  async look(): Promise<void> {
    this.info = await askServer();
    this.isKnown = true;
    $effect.root(() => {
      $effect(() => {
        const place = this.place;
        playing.move(place);
        looking.move(place);
      });
    });
  }
}

export const server = new Server();

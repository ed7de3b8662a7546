import type { Layout, MoveParts, Ruleset, Side, State } from "millbrain";
import { click, type Pick } from "@millbrain/board/model";
import { rules as engineRules } from "../engine/rules.js";
import { readOptions, ruleset } from "../game/variants.js";
import { invitation, linkTo } from "./link.js";
import { keepSeat, newToken, seatOf } from "./seats.js";
import {
  type Event,
  type GameState,
  Line,
  type Offer,
  type Refused,
  type Request,
  type Terms,
  type Waiting,
} from "./wire.js";

export const rulesOf = ({ variant, rules }: Terms): Ruleset =>
  ruleset(variant, readOptions(variant, rules.replaceAll(",", ";")));

/** The game between people that one plays or watches, and the lobby. */
class People {
  isThere = $state(false);
  lobby = $state.raw<readonly Waiting[]>([]);
  /** The game that is followed, as it is known. */
  id = $state<string | undefined>();
  side = $state<Side | null>(null);
  game = $state.raw<GameState | undefined>();
  /** When the game was told so, by `performance.now()`. */
  told = $state(0);
  isGone = $state(false);
  refused = $state.raw<Refused | undefined>();
  pick = $state.raw<Pick>({});

  readonly rules: Ruleset | undefined = $derived(this.game && rulesOf(this.game));
  readonly layout: Layout | undefined = $derived(this.rules && engineRules().layout(this.rules));
  readonly #place = $derived(this.game && JSON.stringify([this.rules, this.game.moves]));
  readonly state: State | undefined = $derived.by(() => {
    if (this.#place === undefined) return undefined;
    const [rules, moves] = JSON.parse(this.#place) as [Ruleset, string[]];
    return engineRules().state(rules, { moves });
  });
  readonly isMine: boolean = $derived(
    this.game?.stage === "playing" && this.side !== null && this.state?.side === this.side,
  );
  readonly legal: readonly MoveParts[] = $derived(this.isMine && this.state ? this.state.moves : []);

  #line: Line | undefined;
  /** What has been asked and not been answered: it is asked again on another connection. */
  #asked: Request | undefined;
  #token: string | undefined;

  /** Connects, and follows the game of the address, until what it returns is called. */
  open(): () => void {
    const follow = () => {
      const game = invitation(location.hash);
      if (game !== undefined && game !== this.id) this.follow(game);
    };
    this.#line = new Line(
      (event) => this.#hear(event),
      (isThere) => {
        this.isThere = isThere;
        if (isThere) this.#begin();
      },
    );
    follow();
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("hashchange", follow);
      this.#line?.close();
      this.#line = undefined;
      this.#forget();
    };
  }

  #forget(): void {
    this.id = this.game = this.#asked = this.#token = undefined;
    this.side = null;
    this.isGone = false;
    this.refused = undefined;
    this.pick = {};
  }

  /** What is said first on every connection. */
  #begin(): void {
    this.#line?.send({ do: "lobby", follow: true });
    const asked = this.#asked;
    if (asked?.do !== "create" && this.id !== undefined) this.#follow(this.id);
    if (asked) this.#line?.send(asked);
  }

  #follow(game: string): void {
    this.#line?.send({ do: "follow", game, token: this.#token ?? seatOf(game) ?? null });
  }

  #ask(request: Request): void {
    this.refused = undefined;
    this.#asked = request;
    this.#line?.send(request);
  }

  follow(game: string): void {
    this.#forget();
    this.id = game;
    this.#follow(game);
  }

  create(terms: Terms, name: string, colour: Side | null, listed: boolean): void {
    this.#forget();
    this.#token = newToken();
    this.#ask({ do: "create", token: this.#token, name, colour, listed, ...terms });
  }

  join(game: string, name: string): void {
    if (game !== this.id) this.#forget();
    this.id = game;
    this.#token = seatOf(game) ?? newToken();
    // Before it is asked for: whatever happens then, the seat is ours.
    keepSeat(game, this.#token);
    this.#ask({ do: "join", game, token: this.#token, name });
  }

  /** Back to the lobby. */
  leave(): void {
    this.#forget();
    history.replaceState(null, "", location.pathname + location.search);
  }

  offer(what: Offer): void {
    this.#ask({ do: "offer", what });
  }

  answer(what: Offer, how: "accept" | "decline"): void {
    this.#ask({ do: how, what });
  }

  end(how: "resign" | "cancel"): void {
    this.#ask({ do: how });
  }

  click(point: string): void {
    const clicked = click(this.legal, this.pick, point);
    this.pick = "pick" in clicked ? clicked.pick : {};
    if ("move" in clicked && this.game) {
      this.#ask({ do: "move", ply: this.game.moves.length, move: clicked.move });
    }
  }

  #hear(event: Event): void {
    switch (event.event) {
      case "lobby":
        this.lobby = event.games;
        break;
      case "seat":
        this.id = event.game;
        this.side = event.side;
        this.isGone = false;
        if (this.#token !== undefined) keepSeat(event.game, this.#token);
        if (invitation(location.hash) !== event.game) history.replaceState(null, "", linkTo(event.game));
        break;
      case "state":
        if (event.game === this.id) this.#see(event);
        break;
      case "gone":
        this.isGone = event.game === this.id;
        break;
      case "refused":
        this.refused = event;
        this.#asked = undefined;
        this.isGone = this.game === undefined && this.id !== undefined;
        break;
      case "pong":
    }
  }

  #see(state: GameState): void {
    if (state.moves.join() !== this.game?.moves.join()) this.pick = {};
    this.game = state;
    this.told = performance.now();
    const asked = this.#asked;
    // A move that has not arrived is sent again on the next connection; the server plays it once.
    if (asked?.do !== "move" || state.moves.length > asked.ply || state.stage !== "playing")
      this.#asked = undefined;
    // The same seat in the rematch, with the same secret.
    const token = this.#token ?? seatOf(state.game);
    if (state.next !== null && this.side !== null && token !== undefined) {
      keepSeat(state.next, token);
      this.follow(state.next);
    }
  }
}

export const people = new People();

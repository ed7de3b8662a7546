import { untrack } from "svelte";
import { go, toast, view } from "../store/view.svelte.js";
import { PeopleGame } from "./game.svelte.js";
import { keys, newKey } from "./keys.svelte.js";
import { notify } from "./notify.js";
import { say } from "./say.svelte.js";
import {
  type Act,
  type Create,
  type Event,
  type GameState,
  Line,
  type OwnGame,
  type Refused,
  type Request,
  type Summary,
} from "./wire.js";
import { opponentName, refusalText } from "./words.js";

/** Whether it is the user's turn. */
export const isMine = ({ stage, turn, side }: OwnGame): boolean => stage === "playing" && turn === side;

/** A game of the user, and its time of receipt by `performance.now()`. */
export type KnownGame = OwnGame & { readonly reported: number };

/** The games against people: the user's, the open one, and the lobby. */
class People {
  /** Whether there is a connection. */
  isThere = $state(false);
  /** Whether the server has sent the user's games. */
  isKnown = $state(false);
  own = $state.raw<ReadonlyMap<string, KnownGame>>(new Map());
  lobby = $state.raw<readonly Summary[]>([]);
  /** The open game. */
  board = $state.raw<PeopleGame | undefined>();
  isGone = $state(false);
  refused = $state.raw<Refused | undefined>();

  /** Games in which it is the user's turn. */
  readonly turns: readonly KnownGame[] = $derived([...this.own.values()].filter(isMine));

  #line: Line | undefined;
  #isLobbyShown = false;
  /** The keys sent to the server, and whether its list of their games is still due. */
  #tokens: readonly string[] = [];
  #isNew = false;
  /** Unanswered requests, which are repeated on the next connection. */
  readonly #asked = new Set<Act | Create>();

  /** ID of the game on the board: the one in the address. */
  readonly onBoard: string | undefined = $derived(view.part === "lobby" ? view.item : undefined);

  constructor() {
    // Created outside any view, since effects of a view may end with it.
    $effect.root(() => {
      $effect(() => {
        const elsewhere = this.turns.filter((game) => !this.#isOnBoard(game));
        view.turns = { all: this.turns.length, elsewhere: elsewhere.length };
      });
      $effect(() => {
        const { onBoard } = this;
        untrack(() => this.#follow(onBoard));
      });
      // Another device's keys may be added, here or in another window.
      $effect(() => {
        if (this.isThere && keys() !== this.#tokens) this.#hello();
      });
    });
  }

  /** Connects and stays connected until the page is closed. */
  connect(): void {
    if (this.#line) return;
    this.#line = new Line(
      (event) => this.#hear(event),
      (isThere) => {
        this.isThere = isThere;
        if (isThere) this.#begin();
      },
    );
  }

  #send(request: Request): void {
    this.#line?.send(request);
  }

  #hello(): void {
    this.#tokens = keys();
    this.#isNew = true;
    this.#send({ do: "hello", tokens: this.#tokens });
  }

  /** Sends the requests for a new connection. */
  #begin(): void {
    this.#hello();
    if (this.#isLobbyShown) this.#send({ do: "lobby", follow: true });
    if (this.onBoard !== undefined) this.#send({ do: "follow", game: this.onBoard });
    for (const request of this.#asked) this.#send(request);
  }

  /** Follows a game, or none. */
  #follow(game: string | undefined): void {
    this.board = undefined;
    this.isGone = false;
    this.refused = undefined;
    this.#send({ do: "follow", game: game ?? null });
  }

  /** Opens a game, or returns to the lobby. */
  open(game?: string): void {
    go("lobby", game);
  }

  /** Keeps the lobby up to date until the returned function is called. */
  showLobby(): () => void {
    const follow = (follow: boolean) => {
      this.#isLobbyShown = follow;
      this.#send({ do: "lobby", follow });
    };
    follow(true);
    return () => follow(false);
  }

  create(terms: Omit<Create, "do" | "nonce">): void {
    this.#ask({ do: "create", nonce: newKey(), ...terms });
  }

  join(game: string, name: string): void {
    this.open(game);
    this.#ask({ do: "join", game, name });
  }

  act(act: Act): void {
    this.#ask(act);
  }

  #ask(request: Act | Create): void {
    this.refused = undefined;
    this.#asked.add(request);
    this.#send(request);
  }

  /** Removes matching requests; returns whether there were any. */
  #forget(isLike: (request: Act | Create) => boolean): boolean {
    const found = [...this.#asked].filter(isLike);
    for (const request of found) this.#asked.delete(request);
    return found.length > 0;
  }

  #hear(event: Event): void {
    switch (event.event) {
      case "games":
        this.#learn(event.games);
        break;
      case "lobby":
        this.lobby = event.games;
        break;
      case "seat":
        this.#forget((asked) => asked.do === "join" && asked.game === event.game);
        if (event.game === this.onBoard) this.isGone = false;
        else if (this.#forget((asked) => asked.do === "create")) this.open(event.game);
        break;
      case "state":
        this.#answered(event);
        if (event.game === this.onBoard) this.#see(event);
        break;
      case "gone":
        if (event.game === this.onBoard) this.isGone = true;
        break;
      case "refused":
        this.#refuse(event);
        break;
      case "pong":
    }
  }

  /** Updates the user's games, and notifies about turns in those that are not open. */
  #learn(games: readonly OwnGame[]): void {
    const reported = performance.now();
    const own = new Map(this.#isNew ? [] : this.own);
    this.#isNew = false;
    for (const game of games) {
      this.#answered(game);
      this.#tell(this.own.get(game.game), game);
      if (game.stage === "aborted") own.delete(game.game);
      else own.set(game.game, { ...game, reported });
    }
    this.own = own;
    this.isKnown = true;
  }

  #isOnBoard({ game }: Summary): boolean {
    return game === this.onBoard;
  }

  /** Notifies about a game that the user does not see, when it has begun or the opponent has moved. */
  #tell(before: OwnGame | undefined, game: OwnGame): void {
    if (before === undefined || (this.#isOnBoard(game) && !document.hidden)) return;
    const hasBegun = before.stage === "open" && game.stage === "playing";
    if (!hasBegun && (isMine(before) || !isMine(game))) return;
    const text = say(isMine(game) ? "turnIn" : "begun", { name: opponentName(game) });
    const open = () => this.open(game.game);
    if (document.hidden) void notify(text, game.game, open);
    if (!this.#isOnBoard(game)) toast(text, { label: say("show"), run: open });
  }

  /**
   * Removes answered requests: a move until it has been played, a seat until it is taken, all others until any news of
   * the game.
   */
  #answered({ game, stage, plies }: Summary): void {
    this.#forget(
      (asked) =>
        asked.do !== "create" &&
        asked.do !== "join" &&
        asked.game === game &&
        (asked.do !== "move" || plies > asked.ply || stage !== "playing"),
    );
  }

  #see(state: GameState): void {
    const { board } = this;
    const side = this.own.get(state.game)?.side ?? board?.side ?? null;
    // A withdrawn invitation has nothing to show.
    if (state.stage === "aborted" && board?.info.stage === "open" && side !== null) return this.open();
    // Opens the rematch that was just agreed on.
    if (board?.info.next === null && state.next !== null && side !== null) return this.open(state.next);
    this.board ??= new PeopleGame(state, side, (act) => this.act(act));
    this.board.see(state, side, this.own.get(state.game)?.plan);
  }

  #refuse(event: Refused): void {
    const game = event.game ?? undefined;
    this.#forget((asked) => (asked.do === "create" ? undefined : asked.game) === game);
    if (game === undefined || game === this.onBoard) {
      this.refused = event;
      this.board?.refuse();
      this.isGone = event.code === "no-game" && game !== undefined;
    } else toast(refusalText(event));
  }
}

export const people = new People();

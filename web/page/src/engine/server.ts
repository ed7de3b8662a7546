import type { Side, Variant } from "millbrain";
import type { Mark } from "../game/tree.js";

/** What `millbrain serve` says of itself. Everything but the name may be missing. */
export interface ServerInfo {
  readonly name: "millbrain";
  readonly version?: string;
  readonly threads?: number;
  readonly archive?: boolean;
  readonly live?: boolean;
}

export interface ListedGame {
  readonly id: string | number;
  readonly date?: string;
  readonly white?: string;
  readonly black?: string;
  readonly variant?: Variant;
  readonly result?: string;
  readonly reason?: string;
  readonly plies?: number;
  readonly source?: string;
  readonly annotated?: boolean;
}

export interface AnnotatedPly {
  readonly ply: number;
  readonly played?: string;
  readonly best?: string;
  readonly score?: { cp: number } | { mate: number };
  readonly loss?: number;
  readonly mark?: Mark | "";
  readonly pv?: readonly string[];
}

export interface ArchivedGame extends ListedGame {
  readonly record?: string;
  readonly moves?: readonly string[];
  readonly start?: string;
  readonly annotation?: { readonly nodes?: number; readonly plies?: readonly AnnotatedPly[] } | null;
}

export interface GameQuery {
  readonly player?: string;
  readonly variant?: string;
  readonly result?: string;
  readonly opening?: string;
  readonly limit?: number;
  readonly before?: string;
}

export interface LiveGame {
  readonly number?: number;
  readonly white?: string;
  readonly black?: string;
  readonly variant?: Variant;
  readonly start?: string;
  readonly moves?: readonly string[];
  /** Milliseconds left. */
  readonly clocks?: Partial<Record<Side, number>> | readonly (number | null)[];
  readonly scores?: readonly unknown[] | Partial<Record<Side, unknown>>;
  readonly depths?: readonly (number | null)[] | Partial<Record<Side, number>>;
  readonly result?: string;
}

export interface LiveState {
  readonly games?: readonly LiveGame[];
  readonly standings?: readonly Record<string, unknown>[];
}

const address = (path: string) => new URL(`api/${path}`, document.baseURI).href;

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(address(path), init);
  if (!response.ok) {
    const text = (await response.text().catch(() => "")).slice(0, 200);
    throw new Error(`${response.status} ${text.trim() || response.statusText}`);
  }
  const body = await response.text();
  return (body === "" ? {} : JSON.parse(body)) as T;
}

/** Asks whether the page comes from `millbrain serve`; any other answer, or none, means that it does not. */
export async function askServer(): Promise<ServerInfo | undefined> {
  try {
    const info = await json<Partial<ServerInfo> | null>("info");
    return info?.name === "millbrain" ? (info as ServerInfo) : undefined;
  } catch {
    return undefined;
  }
}

export async function listGames(query: GameQuery): Promise<{ games: ListedGame[]; next?: string }> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const answer = await json<{ games?: ListedGame[]; next?: string | number | null }>(`games?${search}`);
  const next = answer.next === null || answer.next === undefined ? undefined : String(answer.next);
  return { games: answer.games ?? [], ...(next === undefined ? {} : { next }) };
}

const gamePath = (id: string | number) => `games/${encodeURIComponent(id)}`;

export const openGame = (id: string | number) => json<ArchivedGame>(gamePath(id));
export const deleteGame = (id: string | number) => json<unknown>(gamePath(id), { method: "DELETE" });
export const annotateGame = (id: string | number) =>
  json<unknown>(`${gamePath(id)}/annotate`, { method: "POST" });

/** Saves a game; the key says which one it is, so that saving it again does not make another one. */
export function saveGame(key: string, record: string): Promise<{ id?: string | number }> {
  const headers = { "Content-Type": "application/json" };
  return json("games", { method: "POST", headers, body: JSON.stringify({ key, record }) });
}

/** Follows the running match; returns what ends that. */
export function followLive(onState: (state: LiveState) => void, onError: () => void): () => void {
  const source = new EventSource(address("live"));
  source.addEventListener("state", (event: MessageEvent<string>) => {
    try {
      onState(JSON.parse(event.data) as LiveState);
    } catch {
      onError();
    }
  });
  source.onerror = onError;
  return () => source.close();
}

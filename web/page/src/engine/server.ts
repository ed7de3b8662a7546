import type { ProbedMove, Ruleset, Variant } from "millbrain";
import { LIVE_EVENTS, type LiveEvent } from "./live.js";
import type { Mark } from "../game/tree.js";

/** The description of `millbrain serve`. All fields except the name are optional. */
export interface ServerInfo {
  readonly name: "millbrain";
  readonly version?: string;
  /** Limits of an engine session. */
  readonly engine?: { readonly threads?: number; readonly hash?: number } | null;
  readonly threads?: number;
  readonly archive?: boolean;
  /** Whether the owner password allows deleting games. */
  readonly deletes?: boolean;
  readonly live?: boolean;
  /** Whether it offers games between people. */
  readonly people?: boolean;
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

const address = (path: string) => new URL(`api/${path}`, document.baseURI).href;

/** Returns the server's error: a JSON object with one line, or just the line. */
function fault(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // Not JSON.
  }
  return text.trim().slice(0, 200);
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(address(path), init);
  if (!response.ok) {
    const text = await response.text().catch(() => "");
    throw new Error(fault(text) || `${response.status} ${response.statusText}`);
  }
  const body = await response.text();
  return (body === "" ? {} : JSON.parse(body)) as T;
}

/**
 * Asks whether the page comes from `millbrain serve`; any other answer, such as that of `public/api/info`, means no.
 */
export async function askServer(): Promise<ServerInfo | undefined> {
  try {
    const info = await json<Partial<ServerInfo> | null>("info");
    return info?.name === "millbrain" ? (info as ServerInfo) : undefined;
  } catch {
    return undefined;
  }
}

/** Timeout for requests that the page can do without. */
const PATIENCE = 5_000;

/** Returns the server's answer; `undefined` if it has none or does not answer. */
async function patiently<T>(
  path: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<T | undefined> {
  try {
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(PATIENCE)]);
    return await json<T>(path, { ...init, signal });
  } catch {
    return undefined;
  }
}

/** Returns rules in the server's format. */
const named = ({ variant, options = {} }: Ruleset) => ({
  variant,
  rules: Object.entries(options)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(),
});

/**
 * Returns the moves of a position with their values by the server's tables. The request is a list of positions: for an
 * unknown position it gets an answer, where a single request would be reported by the browser as a missing page.
 */
export async function askTables(
  rules: Ruleset,
  fen: string,
  signal: AbortSignal,
): Promise<readonly ProbedMove[] | undefined> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ ...named(rules), fens: [fen] });
  const answer = await patiently<{ positions?: readonly { moves?: readonly ProbedMove[] }[] }>("tablebase", {
    method: "POST",
    headers,
    body,
    signal,
  });
  return answer?.positions?.[0]?.moves;
}

/** The number of games of the archive through a position, and their results. */
export interface ReportedResults {
  readonly games: number;
  readonly white: number;
  readonly draws: number;
  readonly black: number;
}

/** A position of openings; it lists one of several symmetric moves. */
export interface ReportedOpening extends ReportedResults {
  readonly moves: readonly (ReportedResults & { readonly move: string })[];
}

/** Returns the moves played from a position in the games of the archive. */
export const askOpenings = (rules: Ruleset, fen: string, signal: AbortSignal) =>
  patiently<ReportedOpening>(`openings?${new URLSearchParams({ ...named(rules), fen })}`, { signal });

export async function listGames(query: GameQuery): Promise<{ games: ListedGame[]; next?: string }> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const answer = await json<{ games?: ListedGame[]; next?: string | number | null }>(`games?${search}`);
  const next = answer.next === null || answer.next === undefined ? undefined : String(answer.next);
  return { games: answer.games ?? [], ...(next === undefined ? {} : { next }) };
}

/** Returns a short digest (FNV-1a) that distinguishes records of one game. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const c of text) hash = Math.imul(hash ^ (c.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16);
}

const gamePath = (id: string | number) => `games/${encodeURIComponent(id)}`;

export const openGame = (id: string | number) => json<ArchivedGame>(gamePath(id));
/** Deletes a game with the owner password. */
export const deleteGame = (id: string | number, secret: string) =>
  json<unknown>(gamePath(id), { method: "DELETE", headers: { Authorization: `Bearer ${secret}` } });
export const annotateGame = (id: string | number) =>
  json<unknown>(`${gamePath(id)}/annotate`, { method: "POST" });

/**
 * Saves a game. Its key makes repeated requests idempotent. A continued game is a new one, so the record is part of the
 * key.
 */
export function saveGame(game: string, record: string): Promise<{ id?: string | number }> {
  const key = `${game}-${digest(record)}`;
  const headers = { "Content-Type": "application/json" };
  return json("games", { method: "POST", headers, body: JSON.stringify({ key, record }) });
}

/** Follows the running match; returns a function that stops it. */
export function followLive(
  onEvent: (event: LiveEvent, data: unknown) => void,
  onError: () => void,
): () => void {
  const source = new EventSource(address("live"));
  for (const name of LIVE_EVENTS) {
    source.addEventListener(name, (event: MessageEvent<string>) => {
      try {
        onEvent(name, JSON.parse(event.data));
      } catch {
        onError();
      }
    });
  }
  source.onerror = onError;
  return () => source.close();
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { rules } from "../src/engine/rules.js";
import { lineOf } from "../src/game/text.js";
import type { Handler } from "./serve.js";

export const MOVES = ["a7", "d2", "d7", "d1", "g7xd1", "b4"];
const record = () =>
  rules().writeGame(
    {
      variant: "morris",
      white: "Anna",
      black: "Bob",
      nodes: lineOf(MOVES.map((move) => ({ move }))),
    },
    "record",
  );

async function textOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request) body += String(part);
  return body;
}

/** A server with two games and the answers of `millbrain serve`; some fields are missing on purpose. */
export class Mock {
  readonly asked: string[] = [];
  /** The house rules of value requests. */
  readonly probed: string[] = [];
  readonly saved: { key: string; record: string }[] = [];
  readonly streams = new Set<ServerResponse>();
  games: { id: string; white?: string; black?: string; variant: string; annotated?: boolean }[] = [
    { id: "1", white: "Anna", black: "Bob", variant: "morris", annotated: false },
    { id: "2", variant: "smess" },
  ];
  /** The move played in its openings. */
  opening = "f4";
  constructor(readonly info: object) {}

  readonly handler: Handler = async (request, response, path) => {
    if (!path.startsWith("api/")) return false;
    this.asked.push(`${request.method} ${request.url?.split("/").slice(3).join("/")}`);
    const json = (data: unknown, status = 200) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(data));
      return true;
    };
    const [, , id, action] = path.split("/");
    if (path === "api/info") return json(this.info);
    if (path === "api/live") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      this.streams.add(response);
      this.tell(["d6"]);
      return true;
    }
    if (path === "api/tablebase" && request.method === "POST") {
      const { fens, rules: house } = JSON.parse(await textOf(request)) as { fens: string[]; rules: string };
      this.probed.push(house);
      const [fen = ""] = fens;
      const state = rules().state({ variant: "morris" }, { fen });
      const legal = state.moves.map(({ text }) => text);
      if (legal.length < 24) return json({ positions: [{ fen, error: "no table has this position" }] });
      const moves = legal.map((move, i) => ({
        move,
        ...(i < 3 ? { value: "win", plies: 9 } : { value: "draw" }),
      }));
      return json({ positions: [{ fen, value: "win", plies: 9, moves }] });
    }
    if (path === "api/openings") {
      const results = { white: 2, draws: 1, black: 0 };
      const moves = [{ move: this.opening, games: 3, ...results }];
      return json({ games: 4, white: 3, draws: 1, black: 0, moves });
    }
    if (path === "api/games" && request.method === "POST") {
      this.saved.push(JSON.parse(await textOf(request)));
      return json({ id: "3" });
    }
    if (path === "api/games") {
      const player = new URL(request.url ?? "", "http://x").searchParams.get("player");
      return json({ games: this.games.filter(({ white }) => !player || white === player) });
    }
    const game = this.games.find((game) => game.id === id);
    if (!game) return json("no such game", 404);
    if (action === "annotate") {
      game.annotated = true;
      return json({}, 202);
    }
    if (request.method === "DELETE") {
      if (request.headers.authorization !== "Bearer open sesame") return json("wrong secret", 401);
      this.games = this.games.filter((other) => other !== game);
      response.writeHead(204).end();
      return true;
    }
    const plies = MOVES.map((played, i) => ({
      ply: i + 1,
      played,
      best: "d6",
      score: { cp: 20 },
      loss: i === 1 ? 140 : 0,
      mark: i === 1 ? "??" : "",
    }));
    return json({
      ...game,
      record: record(),
      moves: MOVES,
      start: "3/3/3/6/3/3/3 w 9 9 0 1",
      annotation: game.annotated ? { nodes: 1000, plies } : null,
    });
  };

  tell(moves: string[]): void {
    const state = {
      games: [
        {
          number: 4,
          white: "new",
          black: "old",
          variant: "morris",
          moves,
          clocks: { white: 61_500, black: null },
          last: { white: { score: { cp: 10 }, depth: 7 }, black: null },
        },
      ],
      standings: { engines: [{ name: "new", games: 3, wins: 2, draws: 1, losses: 0 }] },
    };
    this.send("state", state);
  }

  send(event: string, data: unknown): void {
    for (const stream of this.streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

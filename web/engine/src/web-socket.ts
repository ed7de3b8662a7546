import { EngineGone, type Transport } from "./types.js";

/** Connects to an engine behind `millbrain serve`, such as `ws://127.0.0.1:8090/engine`. */
export function webSocketTransport(url: string): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const transport: Transport = {
      send: (line) => socket.send(line),
      onLine: () => {},
      onClose: () => {},
      close: () => socket.close(1000),
    };
    socket.onopen = () => resolve(transport);
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      for (const line of String(data).split("\n")) if (line !== "") transport.onLine(line);
    };
    socket.onclose = ({ reason, code }) => {
      const lost = new EngineGone(`the connection to ${url} is closed (${code})`, "engine.lost");
      const error = reason === "" ? lost : new EngineGone(reason);
      reject(error);
      transport.onClose(error);
    };
  });
}

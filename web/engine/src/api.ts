export { type Analysis, Engine, type EngineSettings } from "./engine.js";
export { Game, type GameStart } from "./game.js";
export { Rules } from "./rules.js";
export * from "./types.js";
export { webSocketTransport } from "./web-socket.js";

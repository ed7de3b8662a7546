import { setHost } from "./host.js";
import { addressOf, assets, readAsset, startWorker } from "./host-node.js";

setHost({ addressOf, assets, readAsset, startWorker });

export * from "./api.js";

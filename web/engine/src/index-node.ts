import { setHost } from "./host.js";
import { assets, readAsset, startWorker } from "./host-node.js";

setHost({ assets, readAsset, startWorker });

export * from "./api.js";

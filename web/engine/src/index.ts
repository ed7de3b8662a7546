import { setHost } from "./host.js";
import { addressOf, assets, forget, keep, readAsset, startWorker } from "./host-browser.js";

setHost({ addressOf, assets, forget, keep, readAsset, startWorker });

export * from "./api.js";

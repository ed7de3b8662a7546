import { setHost } from "./host.js";
import { assets, keep, readAsset, startWorker } from "./host-browser.js";

setHost({ assets, keep, readAsset, startWorker });

export * from "./api.js";

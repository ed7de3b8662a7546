import { setHost } from "./host.js";
import { assets, forget, keep, readAsset, startWorker } from "./host-browser.js";

setHost({ assets, forget, keep, readAsset, startWorker });

export * from "./api.js";

import { OnDevice } from "./device.svelte.js";
import { readStatistics } from "./statistics.js";

/** The games against the computer that have ended on this device. */
export const statistics = new OnDevice("millbrain.statistics", readStatistics);

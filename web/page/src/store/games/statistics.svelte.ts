import { OnDevice } from "../device.svelte.js";
import { readStatistics } from "./statistics.js";

/** The finished games against the computer on this device. */
export const statistics = new OnDevice("millbrain.statistics", readStatistics);

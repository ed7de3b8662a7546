import { OnDevice } from "../store/device.svelte.js";
import { readProgress } from "./progress.js";

/** The learning progress on this device. */
export const progress = new OnDevice("millbrain.learning", readProgress);

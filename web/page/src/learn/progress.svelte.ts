import { type Progress, readProgress } from "./progress.js";

const KEY = "millbrain.learning";

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // A browser may forbid it; what is learned is forgotten then when the page is closed.
    return null;
  }
}

/** What is done on this device. Several windows may add to it. */
class Kept {
  now = $state.raw<Progress>(readProgress(stored()));

  constructor() {
    addEventListener("storage", ({ key }) => {
      if (key === KEY) this.now = readProgress(stored());
    });
  }

  /** Adds to what is stored now, which another window may have written. */
  add(change: (before: Progress) => Progress): void {
    const text = stored();
    this.now = change(text === null ? this.now : readProgress(text));
    try {
      localStorage.setItem(KEY, JSON.stringify(this.now));
    } catch {
      // It is full or forbidden.
    }
  }
}

export const progress = new Kept();

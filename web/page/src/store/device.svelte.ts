/** A value stored on this device that several windows may change. */
export class OnDevice<T> {
  now: T;
  readonly #key: string;
  readonly #read: (text: string | null) => T;

  /** Stores the value under `key`; `read` accepts any stored text, or `null`. */
  constructor(key: string, read: (text: string | null) => T) {
    this.#key = key;
    this.#read = read;
    this.now = $state.raw(read(this.#stored()));
    globalThis.addEventListener?.("storage", (event) => {
      if (event.key === key) this.now = read(this.#stored());
    });
  }

  #stored(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      // A browser may forbid it; then values are lost when the page is closed.
      return null;
    }
  }

  /** Changes the currently stored value, which another window may have written. */
  add(change: (before: T) => T): void {
    const text = this.#stored();
    const before = text === null ? this.now : this.#read(text);
    this.now = change(before);
    if (this.now === before) return;
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.now));
    } catch {
      // The storage is full or forbidden.
    }
  }
}

/** Something kept on this device, to which several windows may add. */
export class OnDevice<T> {
  now: T;
  readonly #key: string;
  readonly #read: (text: string | null) => T;

  /** It is stored under `key`; `read` takes whatever stands there, or nothing. */
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
      // A browser may forbid it; what is kept is forgotten then when the page is closed.
      return null;
    }
  }

  /** Adds to what is stored now, which another window may have written. */
  add(change: (before: T) => T): void {
    const text = this.#stored();
    const before = text === null ? this.now : this.#read(text);
    this.now = change(before);
    if (this.now === before) return;
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.now));
    } catch {
      // It is full or forbidden.
    }
  }
}

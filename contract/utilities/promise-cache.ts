/**
 * Remembers promises by key in this process, so that concurrent callers share one call. A promise that rejects is forgotten, so that the
 * next caller tries again. A full cache is emptied.
 */
export class PromiseCache<K, V> {
  readonly #entries = new Map<K, { value: Promise<V>; untilMs: number }>();
  readonly #max: number;

  constructor({ max = 1000 } = {}) {
    this.#max = max;
  }

  /** Returns the cached promise, or the one that `load` returns. `lifetime` (milliseconds) limits how long that one is used. */
  get(key: K, load: () => Promise<V>, lifetime?: { nowMs: number; forMs: number }): Promise<V> {
    const cached = this.#entries.get(key);
    if (cached && cached.untilMs > (lifetime?.nowMs ?? 0)) return cached.value;
    if (this.#entries.size >= this.#max) this.#entries.clear();
    const value = load();
    this.#entries.set(key, { value, untilMs: lifetime ? lifetime.nowMs + lifetime.forMs : Number.POSITIVE_INFINITY });
    // The caller receives the rejection.
    value.catch(() => this.delete(key, value));
    return value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Forgets a promise. With `value`, a promise that has replaced it remains. */
  delete(key: K, value?: Promise<V>): void {
    if (!value || this.#entries.get(key)?.value === value) this.#entries.delete(key);
  }
}

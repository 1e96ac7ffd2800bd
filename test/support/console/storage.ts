/** Returns a storage of a browser whose keys are properties, as in a real one. */
export function fakeStorage(initial: Readonly<Record<string, string>> = {}): Storage {
  const methods = {
    getItem(this: Record<string, string>, key: string) {
      return Object.hasOwn(this, key) ? (this[key] ?? null) : null;
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = String(value);
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key];
    },
  };
  return Object.assign(Object.create(methods), initial) as Storage;
}

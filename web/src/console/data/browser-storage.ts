/** Begins the keys of everything that a sign-out removes. */
const OF_PERSON = "svc.person.";

/** Returns a value that this browser has stored, or `undefined`. The caller checks its form, because other programs can write it. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    // Another program wrote it, or the browser stores nothing.
    return undefined;
  }
}

/** Stores a value in this browser; `undefined` removes it. A browser that stores nothing works without. */
export function store(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or disabled.
  }
}

/** The key of a value that belongs to the signed-in person, and that a sign-out removes. */
export const keyOfPerson = (...parts: readonly string[]): string => OF_PERSON + parts.map(encodeURIComponent).join("/");

/** Returns the keys of the person's values whose first parts are these. */
export function listKeysOfPerson(...parts: readonly string[]): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(keyOfPerson(...parts)));
  } catch {
    // The browser stores nothing.
    return [];
  }
}

/** Removes everything that this browser stores for the person who signs out. */
export function forgetPerson(): void {
  for (const key of listKeysOfPerson()) store(key, undefined);
}

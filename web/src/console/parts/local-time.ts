/** Formats a time as a field for local times expects it: `2026-01-02T03:04`. */
export function toLocalTime(atMs: number): string {
  const at = new Date(atMs);
  return new Date(atMs - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the time that a field for local times contains, if it is complete. */
export function fromLocalTime(text: string): string | undefined {
  const atMs = Date.parse(text);
  return text === "" || Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

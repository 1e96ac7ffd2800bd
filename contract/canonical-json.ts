/** JSON text in which the keys of every object are sorted: equal values are equal texts, in whatever order they were sent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  // Without a prototype, because a key named `__proto__` is data like any other.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) copy[key] = sorted(inner);
  return copy;
}

/** What a whole string may stand for: `$var:f/ops/key` or `$res:f/ops/db` (api.md §5). */
const REFERENCE = /^\$(var|res):(.+)$/s;

export interface Reference {
  kind: "var" | "res";
  path: string;
}

export function parseReference(value: unknown): Reference | undefined {
  const [, kind, path] = typeof value === "string" ? (REFERENCE.exec(value) ?? []) : [];
  return kind === undefined || path === undefined ? undefined : { kind: kind as Reference["kind"], path };
}
const referenceText = ({ kind, path }: Reference) => `$${kind}:${path}`;

/** Every reference in a value at any depth, each once, as its text. */
export function findReferences(value: unknown): string[] {
  const found = new Set<string>();
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      if (parseReference(next)) found.add(next);
    } else if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next)) waiting.push(inner);
    }
  }
  return [...found];
}

/** Whether a value holds any reference. */
export function hasReferences(value: unknown): boolean {
  if (typeof value === "string") return parseReference(value) !== undefined;
  return typeof value === "object" && value !== null && Object.values(value).some(hasReferences);
}

/** What the references of a value stand for: text of variables, values of resources with references of their own. */
export type LoadedReferences = ReadonlyMap<string, unknown>;

/** The first reference that leads back to itself, if one does. */
export function findCycle(value: unknown, loaded: LoadedReferences): string | undefined {
  const clean = new Set<string>();
  const visit = (inner: unknown, way: ReadonlySet<string>): string | undefined => {
    for (const reference of findReferences(inner)) {
      if (way.has(reference)) return reference;
      if (clean.has(reference) || !reference.startsWith("$res:")) continue;
      const cycle = visit(loaded.get(reference), new Set([...way, reference]));
      if (cycle) return cycle;
      clean.add(reference);
    }
    return undefined;
  };
  return visit(value, new Set());
}

/**
 * How many bytes of JSON a value has once its references are replaced. A handful of resources that name each other ten times each
 * would fill the memory: so it is counted, each reference once, before anything is put together.
 */
export function countResolvedBytes(value: unknown, loaded: LoadedReferences): number {
  const sizes = new Map<string, number>();
  const sizeOf = (inner: unknown): number => {
    const reference = parseReference(inner);
    if (reference) return sizeOfReference(referenceText(reference), reference.kind);
    if (Array.isArray(inner)) return inner.reduce<number>((sum, item) => sum + 1 + sizeOf(item), 2);
    if (typeof inner === "object" && inner !== null) {
      return Object.entries(inner).reduce((sum, [key, item]) => sum + key.length + 4 + sizeOf(item), 2);
    }
    return Buffer.byteLength(JSON.stringify(inner) ?? "null");
  };
  const sizeOfReference = (text: string, kind: Reference["kind"]): number => {
    const known = sizes.get(text);
    if (known !== undefined) return known;
    const target = loaded.get(text);
    const size = kind === "var" ? Buffer.byteLength(JSON.stringify(target) ?? "null") : sizeOf(target);
    sizes.set(text, size);
    return size;
  };
  return sizeOf(value);
}

/** The value with every reference replaced. A variable's text is taken as it is, whatever it begins with. Needs that there is no cycle. */
export function replaceReferences(value: unknown, loaded: LoadedReferences): unknown {
  const reference = parseReference(value);
  if (reference) {
    const target = loaded.get(referenceText(reference));
    return reference.kind === "var" ? target : replaceReferences(target, loaded);
  }
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, loaded));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Assigning to `__proto__` would set the prototype: it is data here.
    Object.defineProperty(copy, key, { value: replaceReferences(item, loaded), enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

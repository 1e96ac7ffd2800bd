import { parseReference, type Reference } from "../../contract/utilities/reference.ts";

const referenceText = ({ kind, path }: Reference) => `$${kind}:${path}`;

/** Returns the text of every reference in a value, at any depth, each once. */
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

/** Returns whether a value contains a reference. */
export function hasReferences(value: unknown): boolean {
  if (typeof value === "string") return parseReference(value) !== undefined;
  return typeof value === "object" && value !== null && Object.values(value).some(hasReferences);
}

/**
 * Returns a value without references: each text that looks like one gets a leading backslash. Outputs of jobs and messages of strangers must not
 * read variables with the rights of the user who runs a job for them. `mayRefer`: accepts the references that remain, by default none.
 */
export function escapeReferences(value: unknown, mayRefer: (reference: Reference) => boolean = () => false): unknown {
  if (typeof value === "string") {
    const reference = parseReference(value);
    return reference && !mayRefer(reference) ? `\\${value}` : value;
  }
  if (Array.isArray(value)) return value.map((item) => escapeReferences(item, mayRefer));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Assigning to `__proto__` would set the prototype instead of a key.
    const escaped = escapeReferences(item, mayRefer);
    Object.defineProperty(copy, key, { value: escaped, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** The loaded targets of references: the texts of variables, and the values of resources, which may contain references. */
export type LoadedReferences = ReadonlyMap<string, unknown>;

/** Returns the first reference that refers back to itself, if there is one. */
export function findCycle(value: unknown, loaded: LoadedReferences): string | undefined {
  const clean = new Set<string>();
  const visit = (inner: unknown, ancestors: ReadonlySet<string>): string | undefined => {
    for (const reference of findReferences(inner)) {
      if (ancestors.has(reference)) return reference;
      if (clean.has(reference) || !reference.startsWith("$res:")) continue;
      const cycle = visit(loaded.get(reference), new Set([...ancestors, reference]));
      if (cycle) return cycle;
      clean.add(reference);
    }
    return undefined;
  };
  return visit(value, new Set());
}

/**
 * Returns the size of a value in bytes of JSON after its references are replaced. A few resources that refer to each other ten times each
 * would exhaust the memory, so the size is computed before the value is built, visiting each reference once.
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
    const knownSize = sizes.get(text);
    if (knownSize !== undefined) return knownSize;
    const target = loaded.get(text);
    const size = kind === "var" ? Buffer.byteLength(JSON.stringify(target) ?? "null") : sizeOf(target);
    sizes.set(text, size);
    return size;
  };
  return sizeOf(value);
}

/** Replaces every reference in a value. The text of a variable is never parsed as a reference. The caller must have checked for cycles. */
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
    // Assigning to `__proto__` would set the prototype instead of a key.
    Object.defineProperty(copy, key, { value: replaceReferences(item, loaded), enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

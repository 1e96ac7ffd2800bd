/** A string that consists only of a reference: `$var:f/ops/key` or `$res:f/ops/db` (api.md §5). */
const REFERENCE = /^\$(var|res):(.+)$/s;

export interface Reference {
  kind: "var" | "res";
  path: string;
}

/** Parses a reference. Returns `undefined` for any other value. */
export function parseReference(value: unknown): Reference | undefined {
  const [, kind, path] = typeof value === "string" ? (REFERENCE.exec(value) ?? []) : [];
  return kind === undefined || path === undefined ? undefined : { kind: kind as Reference["kind"], path };
}

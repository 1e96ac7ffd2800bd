import type * as z from "zod";

type Path = readonly PropertyKey[];

/**
 * Checks a JSON body. Clients send `null` for fields that they do not set, so a field whose `null` the schema refuses counts as absent. A required
 * field is then missing.
 */
export function parseBody<S extends z.ZodType>(schema: S, input: unknown): z.ZodSafeParseResult<z.output<S>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed;
  if (input === null) return schema.safeParse(undefined);
  const nulls = listIssuePaths(parsed.error.issues).filter((path) => path.length > 0 && valueAt(input, path) === null);
  if (nulls.length === 0) return parsed;
  const copy: unknown = structuredClone(input);
  for (const path of nulls) removeField(copy, path);
  const again = schema.safeParse(copy);
  return again.success ? again : parsed;
}

/** The paths of all issues, also of those inside the alternatives of a union. */
function listIssuePaths(issues: readonly z.core.$ZodIssue[], around: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const path = [...around, ...issue.path];
    return issue.code === "invalid_union" ? [path, ...issue.errors.flatMap((inner) => listIssuePaths(inner, path))] : [path];
  });
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (found, key) => (typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined),
    value,
  );

/** An element of an array remains, because removing it would change the positions of the others. */
function removeField(value: unknown, path: Path): void {
  const owner = valueAt(value, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof owner === "object" && owner !== null && !Array.isArray(owner) && key !== undefined) Reflect.deleteProperty(owner, key);
}

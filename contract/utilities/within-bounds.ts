import * as z from "zod";

type Path = readonly PropertyKey[];
interface Excess {
  path: Path;
  bound: number;
}

/**
 * Returns the schema for values that earlier releases stored before its numbers had bounds: a larger number counts as the bound, so that a stored object is
 * readable under each later release. Everything else must match the schema.
 */
export function withinBounds<S extends z.ZodType>(schema: S) {
  return z.unknown().transform((value, context): z.output<S> => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const excesses = listExcesses(parsed.error.issues);
    const again = excesses.length === 0 ? parsed : schema.safeParse(reduce(value, excesses));
    if (again.success) return again.data;
    for (const { path, message } of again.error.issues) context.addIssue({ code: "custom", path: [...path], message });
    return z.NEVER;
  });
}

/** The numbers that exceed a bound, also in the alternatives of a union. */
function listExcesses(issues: readonly z.core.$ZodIssue[], around: Path = []): Excess[] {
  return issues.flatMap((issue) => {
    const path = [...around, ...issue.path];
    if (issue.code === "invalid_union") return issue.errors.flatMap((inner) => listExcesses(inner, path));
    const isNumber = issue.code === "too_big" && ["number", "int"].includes(issue.origin);
    return isNumber && issue.code === "too_big" ? [{ path, bound: Number(issue.maximum) }] : [];
  });
}

function reduce(value: unknown, excesses: readonly Excess[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const { path, bound } of excesses) {
    const owner = path.slice(0, -1).reduce<unknown>((found, key) => (isOwner(found) ? Reflect.get(found, key) : undefined), copy);
    const key = path.at(-1);
    if (isOwner(owner) && key !== undefined && Object.hasOwn(owner, key)) Reflect.set(owner, key, bound);
  }
  return copy;
}

const isOwner = (value: unknown): value is object => typeof value === "object" && value !== null;

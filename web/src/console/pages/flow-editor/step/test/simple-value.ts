import { parseExpression } from "../../../../../../../core/expressions/parse-expression.ts";
import { readQuotedPath } from "../../../../../../../core/expressions/plain-path.ts";
import { isTransform } from "../inputs/transforms.ts";

const REFERENCE = /^(variable|resource)\(\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')\s*\)$/;

/**
 * Returns the value of a constant, of a path of names, of JSON, or of a call that reads a variable or a resource, which is a reference: its value is
 * never read. `undefined` for any other transform, because expressions are not run.
 */
export function readSimpleValue(transform: unknown, names: Readonly<Record<string, unknown>>): { value: unknown } | undefined {
  if (!isTransform(transform)) return undefined;
  if (transform.type === "static") return "value" in transform ? { value: transform["value"] } : undefined;
  if (transform.type !== "javascript") return undefined;
  const text = String(transform["expr"] ?? "").trim();
  return readQuotedPath(names, text) ?? readReference(text) ?? readJson(text);
}

interface FoundValues {
  /** The values of the names that expressions read. */
  names: Readonly<Record<string, unknown>>;
  /** The arguments that the step had in a run. */
  ran: Readonly<Record<string, unknown>>;
  /** Whether those of the run count first: inside of a loop, the names have the values of one iteration only in part. */
  prefersRan: boolean;
}

/** Returns the arguments of a test of a step. Inputs whose value is not found are absent. `params` reads the inputs before it. */
export function toArguments(
  transforms: Readonly<Record<string, unknown>>,
  { names, ran, prefersRan }: FoundValues,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [name, transform] of Object.entries(transforms)) {
    const before = Object.hasOwn(ran, name) ? { value: ran[name] } : undefined;
    const simple = readSimpleValue(transform, { ...names, params: args });
    const found = prefersRan ? (before ?? simple) : (simple ?? before);
    if (found) args[name] = found.value;
  }
  return args;
}

function readReference(text: string): { value: unknown } | undefined {
  const [, name, double, single] = REFERENCE.exec(text) ?? [];
  const path = double ?? single;
  return path === undefined ? undefined : { value: `$${name === "variable" ? "var" : "res"}:${path}` };
}

function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    // Any other expression is no JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns whether the value of an expression can contain a variable or a resource, which may be a secret. */
export function mayReadSecrets(expression: string): boolean {
  const parsed = parseExpression(expression);
  return !parsed.ok || ["variable", "resource", "eval", "params"].some((name) => parsed.names.has(name));
}

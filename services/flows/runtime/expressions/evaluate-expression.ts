import { findExcess, MAX_DEPTH } from "../../../../contract/json/exact-json.ts";
import type { EvaluatedAs } from "../../../../core/expressions/interpret.ts";
import { parsePlainPath, readPlainPath, readQuotedPath } from "../../../../core/expressions/plain-path.ts";
import { evaluateInThread } from "./interpreter.ts";

export type EvaluationResult =
  | { ok: true; value: unknown }
  /** `missingReference`: the expression reads this reference, which is not loaded yet. */
  | { ok: false; reason: string; missingReference?: string };

/** Levels that an expression may add around a result or a body of the usual depth. */
const ADDED_LEVELS = 20;

/** The values of `variable(path)` and `resource(path)` by reference, for example `$var:f/ops/key`. */
export type ReferenceValues = ReadonlyMap<string, unknown>;

/**
 * Evaluates a JavaScript expression and returns its value as JSON. Statements with a `return` are the body of a function. The expression sees
 * only `names`, runs in a separate interpreter in another thread, and ends after half a second of processor time, or a second in a native loop.
 * With `reads`, it may call `variable` and `resource`. The interpreter cannot wait, so it stops at the first value that is not in `reads` and
 * returns its reference: the caller loads the value and evaluates again. `as`: the interpreter converts conditions and numbers, because JSON has
 * no infinity and no NaN.
 */
export async function evaluateExpression(
  expression: string,
  names: Readonly<Record<string, unknown>>,
  { reads, as = "json" }: { reads?: ReferenceValues; as?: EvaluatedAs } = {},
): Promise<EvaluationResult> {
  const text = expression.trim();
  const parts = parsePlainPath(text);
  if (parts) {
    // The interpreter resolves inherited properties, such as `length` of a list.
    const found = readPlainPath(names, parts);
    if (found) return { ok: true, value: as === "boolean" ? Boolean(found.value) : found.value };
  }
  const quoted = as === "json" ? readQuotedPath(names, text) : undefined;
  if (quoted) return { ok: true, value: quoted.value ?? null };
  // Loaded on first use, because it contains a parser.
  const { parseExpression } = await import("../../../../core/expressions/parse-expression.ts");
  const parsed = parseExpression(text);
  if (!parsed.ok) return parsed;
  const { code, isBody } = parsed;
  const input = JSON.stringify({ names, reads: reads && Object.fromEntries(reads) });
  const found = await evaluateInThread({ code, isBody, as, names: Object.keys(names), input, mayRead: reads !== undefined });
  if (!found.ok) return found;
  // If each step adds a level to the previous result, the steps must fail before a parser does.
  const excess = findExcess(found.json, MAX_DEPTH + ADDED_LEVELS);
  return excess === undefined ? { ok: true, value: JSON.parse(found.json) } : { ok: false, reason: `its value cannot be used: ${excess}.` };
}

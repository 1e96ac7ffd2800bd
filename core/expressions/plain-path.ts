/** Matches paths of names and indices, such as `job.input.list[0].name`, which need no interpreter. A missing part yields `null`. */
const PLAIN = /^[A-Za-z_$][\w$]*(\??\.[A-Za-z_$][\w$]*|\[\d+\])*$/;
const WORDS = new Set(["null", "true", "false", "undefined", "NaN", "Infinity", "this", "globalThis"]);

/** Returns whether an expression consists only of names and indices, such as `results.a.list[0]`. */
export const isPlainPath = (expression: string) => PLAIN.test(expression.trim());

/** Returns the names and indices of a plain path in order, or `undefined` for any other expression. */
export function parsePlainPath(expression: string): string[] | undefined {
  const text = expression.trim();
  return PLAIN.test(text) && !WORDS.has(text) ? (text.match(/[\w$]+/g) ?? []) : undefined;
}

/** Matches paths that also contain texts in brackets, such as `flow_input["order-id"]?.[0]`. */
const QUOTED = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|(?:\?\.)?\[(?:\d+|"[^"\\\n]*"|'[^'\\\n]*')\])*$/;

/** Returns the name at which a path of names, indices and texts in brackets begins, or `undefined` for any other expression. */
export function findPathRoot(expression: string): string | undefined {
  const text = expression.trim();
  const root = QUOTED.test(text) ? /^[\w$]+/.exec(text)?.[0] : undefined;
  return root === undefined || WORDS.has(root) ? undefined : root;
}

/**
 * Returns the value of a path of own properties, whose names may be texts in brackets. `undefined` for any other expression, and where JavaScript
 * must evaluate a missing part.
 */
export function readQuotedPath(names: Readonly<Record<string, unknown>>, expression: string): { value: unknown } | undefined {
  const text = expression.trim();
  if (!QUOTED.test(text) || WORDS.has(text)) return undefined;
  let value: unknown = names;
  for (const [name, double, single] of text.matchAll(/"([^"]*)"|'([^']*)'|[\w$]+/g)) {
    const part = double ?? single ?? name;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return { value };
}

/** Returns the value of a plain path, or `undefined` if a part is not an own property of its parent. */
export function readPlainPath(names: Readonly<Record<string, unknown>>, parts: string[]): { value: unknown } | undefined {
  let value: unknown = names;
  for (const part of parts) {
    if (value === null || value === undefined) return { value: null };
    if (typeof value !== "object" || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return { value: value ?? null };
}

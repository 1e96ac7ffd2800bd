/** A value that an expression can read. */
export interface ReadableValue {
  expression: string;
  /** The value of the last run, in short. */
  preview: string;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Returns the expression that reads a field of an object, or an item of a list. */
export function pathOf(root: string, keys: readonly (string | number)[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === "number") return `${path}[${key}]`;
    return IDENTIFIER.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
  }, root);
}

/** Returns the expression of a step's result. */
export const resultOf = (id: string): string => pathOf("results", [id]);

const PREVIEW_CHARS = 60;
const MOST_ITEMS = 3;
const MOST_DEPTH = 6;

/** Returns a value in short. A long text or list is not written out first. */
export function previewOf(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return JSON.stringify(value.slice(0, PREVIEW_CHARS));
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value === "object" && value !== null) return `{${Object.keys(value).slice(0, 4).join(", ").slice(0, PREVIEW_CHARS)}}`;
  return String(value);
}

/** Lists the parts of a value level by level, at most `most`, and of a list the first items. */
export function listParts(root: string, value: unknown, most = 150): ReadableValue[] {
  const found: ReadableValue[] = [];
  let level: { keys: (string | number)[]; value: unknown }[] = [{ keys: [], value }];
  for (let depth = 0; depth <= MOST_DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const part of level) {
      if (found.length >= most) return found;
      found.push({ expression: pathOf(root, part.keys), preview: previewOf(part.value) });
      next.push(...childrenOf(part.value, most).map(([key, child]) => ({ keys: [...part.keys, key], value: child })));
    }
    level = next;
  }
  return found;
}

function childrenOf(value: unknown, most: number): [string | number, unknown][] {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item, index) => [index, item]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).slice(0, most);
}

/** Returns an expression with another one at the cursor or in place of the selected part. Without a cursor, the other one replaces it. */
export const insertInto = (text: string, expression: string, cursor: readonly [start: number, end: number] | undefined): string =>
  cursor ? text.slice(0, cursor[0]) + expression + text.slice(cursor[1]) : expression;

import { countText, countValues, readSchemaParts, type Schema, type SchemaParts } from "./schema-size.ts";

/** The maximum number of evaluations of a schema on one value: of a schema on a part of the value, or of a name or choice. */
export const EVALUATIONS_MOST = 500_000;

/**
 * Counts the evaluations of a schema on a value, and stops above `EVALUATIONS_MOST`. It assumes that every alternative is evaluated, so that a
 * validator never exceeds the count. Throws `SchemaSizeError` for a reference that is not allowed.
 */
export function countEvaluations(root: Record<string, unknown>, value: unknown): number {
  const partsBySchema = new Map<Schema, SchemaParts>();
  const partsOf = (schema: Record<string, unknown>) => {
    const parts = partsBySchema.get(schema) ?? readSchemaParts(root, schema);
    partsBySchema.set(schema, parts);
    return parts;
  };
  const waiting: [schema: Schema, value: unknown][] = [[root, value]];
  let work = 0;
  const add = (schemas: Iterable<Schema>, part: unknown) => {
    for (const schema of schemas) {
      // `true` and `false` are not evaluated, but `false` creates an error.
      work += 1;
      if (typeof schema === "object") waiting.push([schema, part]);
      if (work > EVALUATIONS_MOST) return;
    }
  };
  for (let next = waiting.pop(); next && work <= EVALUATIONS_MOST; next = waiting.pop()) {
    const [schema, part] = next;
    if (typeof schema === "boolean") continue;
    const parts = partsOf(schema);
    work += countText(part) + parts.compared + parts.named.size;
    add(parts.inPlace, part);
    if (Array.isArray(part)) addItems(parts, part, add);
    else if (typeof part === "object" && part !== null) addProperties(parts, part as Record<string, unknown>, add);
    if (parts.uniqueItems && Array.isArray(part)) work += countValues(part);
  }
  return work;
}

type Add = (schemas: Iterable<Schema>, part: unknown) => void;

function addItems({ prefix, eachItem }: SchemaParts, items: readonly unknown[], add: Add): void {
  for (const [index, schema] of prefix.entries()) if (index < items.length) add([schema], items[index]);
  for (const item of eachItem.length > 0 ? items : []) add(eachItem, item);
}

function addProperties({ named, eachProperty, names }: SchemaParts, part: Record<string, unknown>, add: Add): void {
  // A validator reads inherited properties, too.
  for (const [name, schema] of named) if (part[name] !== undefined) add([schema], part[name]);
  for (const [name, inner] of Object.entries(part)) {
    // Each name is compared with the names of the schema.
    add([true], inner);
    add(eachProperty, inner);
    add(names, name);
  }
}

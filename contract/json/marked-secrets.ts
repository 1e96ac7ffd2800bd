import { isJsonObject } from "./json-object.ts";

type Schema = Record<string, unknown>;

interface Replacement {
  /** Marks further schemas as those of secrets. */
  alsoMarked?: (schema: Schema) => boolean;
  /** Returns the value that is shown or stored instead of a secret. `undefined` leaves it out. */
  replace: (value: unknown) => unknown;
}

/**
 * Replaces the values that a JSON Schema marks with `password`, at any depth. A value may have several schemas, by `oneOf` or a reference to a
 * definition: it is a secret if one of them marks it.
 */
export function replaceMarkedSecrets(value: unknown, schema: Schema, { alsoMarked, replace }: Replacement): unknown {
  const isMarked = (one: Schema) => one["password"] === true || one["format"] === "password" || alsoMarked?.(one) === true;
  const visit = (inner: unknown, schemas: readonly Schema[]): unknown => {
    if (schemas.some(isMarked)) return replace(inner);
    if (schemas.length === 0 || typeof inner !== "object" || inner === null) return inner;
    if (Array.isArray(inner)) {
      const items = expand(schemas.flatMap(listItemSchemas), schema);
      return inner.map((item) => visit(item, items)).filter((item) => item !== undefined);
    }
    const shown = Object.entries(inner).map(([name, item]): [string, unknown] => [
      name,
      visit(
        item,
        expand(
          schemas.flatMap((one) => listPropertySchemas(one, name)),
          schema,
        ),
      ),
    ]);
    return Object.fromEntries(shown.filter(([, item]) => item !== undefined));
  };
  return visit(value, expand([schema], schema));
}

const listItemSchemas = ({ items, prefixItems }: Schema): unknown[] => [items, ...toList(prefixItems), ...toList(items)];

function listPropertySchemas({ properties, additionalProperties, patternProperties }: Schema, name: string): unknown[] {
  const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
  const named = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [additionalProperties];
  return [...named, ...patterns];
}

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns schemas with those that they combine or refer to, each once. */
function expand(schemas: readonly unknown[], root: Schema): Schema[] {
  const found = new Set(schemas.filter(isJsonObject));
  for (const { $ref, oneOf, anyOf, allOf, then, else: otherwise } of found) {
    const others = [...toList(oneOf), ...toList(anyOf), ...toList(allOf), then, otherwise, findDefinition($ref, root)];
    for (const other of others) if (isJsonObject(other)) found.add(other);
  }
  return [...found];
}

/** Returns the schema to which a reference such as `#/$defs/name` points. Those to other documents are not followed. */
function findDefinition(reference: unknown, root: Schema): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

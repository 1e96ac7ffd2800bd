/** One JSON Schema of draft 2020-12, as far as signatures need it. `{}` accepts anything. */
export interface Schema {
  type?: string | string[];
  format?: string;
  contentEncoding?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  /** The declared order of the properties. Forms use it, because JSON objects are unordered. */
  order?: string[];
  additionalProperties?: Schema;
  anyOf?: Schema[];
  description?: string;
  default?: unknown;
}

export interface Field {
  name: string;
  schema: Schema;
  optional: boolean;
}

/** The maximum depth of types, so that a malicious source cannot overflow the stack. */
export const MAX_DEPTH = 12;

/**
 * The maximum number of types of one signature. Types that refer to each other expand exponentially: ten types with ten fields each yield
 * 10^10 fields. Beyond the maximum, any value is accepted.
 */
export const MAX_TYPES = 2000;

/** Creates the schema of an object from its fields. */
export function createObjectSchema(fields: Field[]): Schema {
  const properties: Record<string, Schema> = Object.create(null) as Record<string, Schema>;
  for (const { name, schema } of fields) properties[name] = schema;
  return {
    type: "object",
    properties: { ...properties },
    required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
    order: fields.map(({ name }) => name),
  };
}

/** Creates the schema of a resource: `resource-postgresql` for `Postgresql`, `resource-s3_object` for `S3Object`. */
export function createResourceSchema(typeName: string): Schema {
  const snake = typeName
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
  return { type: "object", format: `resource-${snake}` };
}

function nullable(schema: Schema): Schema {
  if (typeof schema.type !== "string") return schema.anyOf ? { anyOf: [...schema.anyOf, { type: "null" }] } : schema;
  return { ...schema, type: [schema.type, "null"], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

/** Creates the schema of a union. Literals become one list of values, and a union of one type becomes that type. */
export function createUnionSchema(members: Schema[]): Schema {
  const isNull = (member: Schema) => member.type === "null";
  const others = members.filter((member) => !isNull(member));
  if (others.length < members.length) return others.length === 0 ? { type: "null" } : nullable(createUnionSchema(others));
  const [first] = others;
  if (!first || others.some((member) => Object.keys(member).length === 0)) return {};
  const sameType = others.every((member) => member.type === first.type);
  if (sameType && others.every((member) => member.enum)) return { ...first, enum: unique(others.flatMap((member) => member.enum ?? [])) };
  const distinct = unique(others.map((member) => JSON.stringify(member))).map((text) => JSON.parse(text) as Schema);
  return distinct.length === 1 ? first : { anyOf: distinct };
}

/** Infers a schema from a default value. */
export function inferSchema(value: unknown, depth = 0): Schema {
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value))
    return value.length > 0
      ? { type: "array", items: createUnionSchema(value.map((item) => inferSchema(item, depth + 1))) }
      : { type: "array" };
  switch (typeof value) {
    case "string":
    case "boolean":
      return { type: typeof value };
    case "number":
      return { type: "number" };
    case "object":
      return value === null
        ? {}
        : createObjectSchema(
            Object.entries(value).map(([name, member]) => ({ name, schema: inferSchema(member, depth + 1), optional: true })),
          );
    default:
      return {};
  }
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

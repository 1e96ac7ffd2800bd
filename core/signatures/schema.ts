/** The part of JSON Schema (draft 2020-12) that signatures need. `{}` accepts anything. */
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

/** The maximum number of types that are searched for an alternative, such as null, in one signature. Beyond it, no further alternative is found. */
export const MAX_SEARCHED = 20_000;

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

/** Returns the fields of the schema of an object. */
export function listFields({ properties = {}, required = [], order = [] }: Schema): Field[] {
  const isRequired = new Set(required);
  return order.map((name) => ({ name, schema: properties[name] ?? {}, optional: !isRequired.has(name) }));
}

/** Creates the schema of a resource: `resource-postgresql` for `Postgresql`, `resource-s3_object` for `S3Object`. */
export function createResourceSchema(typeName: string): Schema {
  const snake = typeName
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
  return { type: "object", format: `resource-${snake}` };
}

/** Creates the schema of a list of values. If one of them is unknown (`undefined`) or not a scalar, any value is accepted. */
export function createEnumSchema(values: unknown[]): Schema {
  const scalars = ["string", "number", "boolean"];
  if (values.length === 0 || values.some((value) => value !== null && !scalars.includes(typeof value))) return {};
  const listed = unique(values);
  const types = unique(listed.map((value) => (value === null ? "null" : typeof value)));
  const [type = "", second] = types;
  if (types.length === 1 && type === "boolean" && listed.length === 2) return { type };
  if (types.length === 1) return type === "null" ? { type } : { type, enum: listed };
  const isNullable = types.length === 2 && types.includes("null");
  return isNullable ? { type: type === "null" ? [second ?? "", type] : [type, "null"], enum: listed } : { enum: listed };
}

/** Returns a schema that also accepts null. */
export function nullable(schema: Schema): Schema {
  if (accepts(schema, null)) return schema;
  if (schema.anyOf) return { anyOf: [...schema.anyOf, { type: "null" }] };
  const { type } = schema;
  return {
    ...schema,
    ...(type !== undefined && { type: [...(typeof type === "string" ? [type] : type), "null"] }),
    ...(schema.enum && { enum: [...schema.enum, null] }),
  };
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  uuid: /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
};

/** Returns whether a schema accepts a value. */
export function accepts(schema: Schema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((member) => accepts(member, value));
  if (schema.enum && !schema.enum.includes(value)) return false;
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (types && !types.some((type) => isOfType(type, value))) {
    // The service replaces a reference by the value of the resource.
    return typeof value === "string" && value.startsWith("$res:") && Boolean(schema.format?.startsWith("resource-"));
  }
  if (typeof value === "string" && schema.format) return FORMATS[schema.format]?.test(value) ?? true;
  if (Array.isArray(value)) return value.every((item) => accepts(schema.items ?? {}, item));
  if (typeof value !== "object" || value === null) return true;
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) =>
      accepts(Object.hasOwn(properties, name) ? (properties[name] ?? {}) : additionalProperties, member),
    )
  );
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** Creates the schema of a union. Literals become one list of values, and a union of one type becomes that type. */
export function createUnionSchema(members: Schema[]): Schema {
  const isNull = (member: Schema) => member.type === "null";
  const others = members.filter((member) => !isNull(member));
  if (others.length < members.length) return others.length === 0 ? { type: "null" } : nullable(createUnionSchema(others));
  const [first] = others;
  if (!first || others.some((member) => Object.keys(member).length === 0)) return {};
  if (others.every((member) => member.enum)) return createEnumSchema(others.flatMap((member) => member.enum ?? []));
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

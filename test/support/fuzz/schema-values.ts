import fc from "fast-check";

/** A JSON schema as the OpenAPI document contains it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  items?: Schema;
  prefixItems?: Schema[];
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

export interface ValueOptions {
  /** The schemas that `$ref` names. */
  components: Readonly<Record<string, Schema>>;
  /** Values that replace the valid ones now and then. */
  hostile?: readonly unknown[];
}

/** Levels of nested objects and lists below which optional values are left out: the schema of a flow contains itself. */
const DEPTH = 5;

/** Creates the arbitrary of the JSON values that a schema allows, with values at its limits more often than others. */
export function schemaValues(schema: Schema, options: ValueOptions, depth = 0): fc.Arbitrary<unknown> {
  const valid = validValues(schema, options, depth);
  const { hostile } = options;
  return hostile ? fc.oneof({ arbitrary: valid, weight: 9 }, { arbitrary: fc.constantFrom(...hostile), weight: 1 }) : valid;
}

function validValues(schema: Schema, options: ValueOptions, depth: number): fc.Arbitrary<unknown> {
  if (schema.$ref) return schemaValues(resolveReference(schema.$ref, options), options, depth);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...shallow(alternatives, options, depth).map((one) => schemaValues(one, options, depth + 1)));
  if (schema.allOf) {
    return fc.tuple(...schema.allOf.map((one) => validValues(one, options, depth))).map((parts) => Object.assign({}, ...parts) as unknown);
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => validValues({ ...schema, type }, options, depth)));
  }
  return typedValues(schema, options, depth);
}

/** Deep inside, alternatives without further references are preferred. */
function shallow(alternatives: readonly Schema[], options: ValueOptions, depth: number): readonly Schema[] {
  if (depth < DEPTH) return alternatives;
  const flat = alternatives.filter((one) => !JSON.stringify(one.$ref ? resolveReference(one.$ref, options) : one).includes("$ref"));
  return flat.length > 0 ? flat : alternatives.slice(0, 1);
}

export function resolveReference(reference: string, { components }: ValueOptions): Schema {
  const found = components[reference.slice(reference.lastIndexOf("/") + 1)];
  if (!found) throw new Error(`The schema ${reference} is missing.`);
  return found;
}

function typedValues(schema: Schema, options: ValueOptions, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "string":
      return textValues(schema);
    case "integer": {
      const min = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1e6 : schema.exclusiveMinimum + 1);
      const max = schema.maximum ?? (schema.exclusiveMaximum === undefined ? Math.max(min, 1e6) : schema.exclusiveMaximum - 1);
      return fc.oneof(fc.constantFrom(min, max), fc.integer({ min: Math.max(min, -(2 ** 53)), max: Math.min(max, 2 ** 53) }));
    }
    case "number":
      return fc.double({
        min: schema.minimum ?? schema.exclusiveMinimum ?? -1e9,
        max: schema.maximum ?? schema.exclusiveMaximum ?? 1e9,
        noNaN: true,
        minExcluded: schema.exclusiveMinimum !== undefined,
        maxExcluded: schema.exclusiveMaximum !== undefined,
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return listValues(schema, options, depth);
    case "object":
      return objectValues(schema, options, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const PLAIN = fc.string({ unit: fc.constantFrom(..."abcXYZ019 _-./é€"), maxLength: 30 });

/** The arbitraries of texts by pattern. Creating one takes up to 0.2 s, and many routes have the same patterns. */
const matching = new Map<string, fc.Arbitrary<string>>();

function textsOf(pattern: string): fc.Arbitrary<string> {
  const found = matching.get(pattern) ?? fc.stringMatching(toGenerator(pattern));
  matching.set(pattern, found);
  return found;
}

function textValues({ format, pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  switch (format) {
    case "uuid":
      return fc.uuid({ version: [4, 7] });
    case "date-time":
      return fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString());
    case "email":
      return textsOf(String.raw`^[a-z]{1,20}@example\.com$`);
    case "uri":
    case "url":
      return textsOf(String.raw`^https:\/\/[a-z]{1,10}\.example\/[a-z]{0,9}$`);
    default:
  }
  const within = (text: string) => text.length >= minLength && (maxLength === undefined || text.length <= maxLength);
  if (pattern !== undefined) return textsOf(pattern).filter(within);
  const longest = maxLength === undefined ? [] : [fc.constant("x".repeat(Math.min(maxLength, 10_000)))];
  const random = fc.string({
    unit: fc.constantFrom(..."abcXYZ019 _-./é€"),
    minLength,
    maxLength: Math.min(maxLength ?? 30, minLength + 30),
  });
  return fc.oneof({ arbitrary: minLength === 0 ? PLAIN.filter(within) : random, weight: 3 }, ...longest);
}

/** Look-ahead only excludes values, which a generator of strings cannot follow. */
const toGenerator = (pattern: string) => new RegExp(pattern.replace(/\(\?[!=](?:[^()]|\([^()]*\))*\)/g, ""));

function listValues({ items = {}, prefixItems, minItems = 0, maxItems = 3 }: Schema, options: ValueOptions, depth: number) {
  if (prefixItems) return fc.tuple(...prefixItems.map((item) => schemaValues(item, options, depth + 1)));
  const most = depth >= DEPTH ? minItems : Math.max(minItems, Math.min(maxItems, 3));
  return fc.array(schemaValues(items, options, depth + 1), { minLength: minItems, maxLength: most });
}

function objectValues({ properties = {}, required = [], additionalProperties }: Schema, options: ValueOptions, depth: number) {
  const wanted = Object.entries(properties).filter(([name]) => depth < DEPTH || required.includes(name));
  const named = fc.record(Object.fromEntries(wanted.map(([name, value]) => [name, schemaValues(value, options, depth + 1)])), {
    requiredKeys: required.filter((name) => Object.hasOwn(properties, name)),
  });
  if (typeof additionalProperties !== "object" || depth >= DEPTH) return named;
  const others = fc.dictionary(textsOf("^[a-z]{1,8}$"), schemaValues(additionalProperties, options, depth + 1), { maxKeys: 3 });
  return fc.tuple(others, named).map(([extra, fields]) => ({ ...extra, ...fields }));
}

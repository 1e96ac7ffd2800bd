import { isJsonObject } from "../../contract/json/json-object.ts";

/** A JSON Schema: an object, or `true` or `false`. */
export type Schema = Record<string, unknown> | boolean;
/** A schema with its path, such as `properties.name`. */
interface PlacedSchema {
  schema: Schema;
  path: string;
}

/** Maximum number of schemas within a schema, with its references followed. Compiling this many takes less than a second. */
const SCHEMAS_MOST = 500;
/** Maximum number of values in the JSON of a schema, such as the choices of all `enum`s. */
const VALUES_MOST = 20_000;
/** Maximum number of levels of JSON in a schema. */
const LEVELS_MOST = 100;
/** Maximum number of schemas that are evaluated on one value, because keywords such as `anyOf` and `$ref` multiply. */
const SCHEMAS_PER_VALUE_MOST = 1000;

/** Keywords with one schema, which is evaluated on the value itself. */
const IN_PLACE_ONE = ["not", "if", "then", "else"];
const IN_PLACE_LIST = ["allOf", "anyOf", "oneOf"];
const IN_PLACE_MAP = ["dependentSchemas", "dependencies"];
/** Keywords with schemas that are evaluated on parts of the value. Those in `$defs` are evaluated only where a `$ref` names them. */
const PART_ONE = ["items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"];
const PART_LIST = ["prefixItems"];
const PART_MAP = ["properties", "patternProperties"];

const isSchema = (value: unknown): value is Schema => typeof value === "boolean" || isJsonObject(value);

const nameOf = (path: string) => path || "the top";

/** A schema that cannot be used. The message contains the path, the reason and the next step. */
export class SchemaSizeError extends Error {}

function listSchemas({ schema, path }: PlacedSchema, one: string[], list: string[], map: string[]): PlacedSchema[] {
  if (typeof schema === "boolean") return [];
  const at = (...steps: (string | number)[]) => [path, ...steps].filter((step) => step !== "").join(".");
  const readKeyword = (keyword: string) => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined);
  return [
    ...one.map((keyword) => ({ schema: readKeyword(keyword), path: at(keyword) })),
    ...list.flatMap((keyword) => {
      const value = readKeyword(keyword);
      return Array.isArray(value) ? value.map((inner: unknown, index) => ({ schema: inner, path: at(keyword, index) })) : [];
    }),
    ...map.flatMap((keyword) => {
      const value = readKeyword(keyword);
      return isJsonObject(value) ? Object.entries(value).map(([key, inner]) => ({ schema: inner, path: at(keyword, key) })) : [];
    }),
  ].filter((each): each is PlacedSchema => isSchema(each.schema));
}

/** Returns the schemas that are evaluated on the same value as a schema. Throws `SchemaSizeError` for a reference that is not allowed. */
function listSchemasInPlace(root: Schema, placed: PlacedSchema): PlacedSchema[] {
  const { schema } = placed;
  const nested = listSchemas(placed, IN_PLACE_ONE, IN_PLACE_LIST, IN_PLACE_MAP);
  const reference = typeof schema === "object" ? schema["$ref"] : undefined;
  return typeof reference === "string" ? [...nested, findReferred(root, reference, placed.path)] : nested;
}

/** Finds the target of a `$ref`. Only locations in the same schema are allowed, in the notation that all programs interpret equally. */
function findReferred(root: Schema, reference: string, path: string): PlacedSchema {
  const refuse = (reason: string) =>
    new SchemaSizeError(
      `the $ref at ${nameOf(path)} ${reason}. Refer to a place in the same schema with its plain name, such as #/$defs/address`,
    );
  if (!/^#(\/[^#%]+)?$/.test(reference)) throw refuse("is not a place in the same schema");
  const steps = reference
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let found: unknown = root;
  for (const step of steps) {
    const isContainer = typeof found === "object" && found !== null && Object.hasOwn(found, step);
    if (!isContainer) throw refuse("names a place that does not exist");
    found = (found as Record<string, unknown>)[step];
  }
  if (!isSchema(found)) throw refuse("names a place that is not a schema");
  return { schema: found, path: steps.join(".") };
}

/**
 * Throws `SchemaSizeError` for a schema that would take long to compile, or to evaluate on any value. The work is counted, not measured, so that
 * the same schema is always accepted or always refused.
 */
export function checkSchemaSize(schema: Record<string, unknown>): void {
  checkJson(schema);
  checkSchemasPerValue(schema);
  checkCode(schema);
}

function checkJson(root: Record<string, unknown>): void {
  const waiting: [value: unknown, path: string, level: number][] = [[root, "", 0]];
  let count = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, path, level] = next;
    count += 1;
    if (count > VALUES_MOST) throw new SchemaSizeError(`it contains more than ${VALUES_MOST} values. Remove choices or fields`);
    if (typeof value !== "object" || value === null) continue;
    if (level > LEVELS_MOST) throw new SchemaSizeError(`it has more than ${LEVELS_MOST} levels. Flatten it`);
    // A nested name would change what the references mean, a reference to a name that changes with the value cannot be counted, and an
    // asynchronous check would answer before it has checked.
    for (const keyword of ["$id", "$async", "$dynamicRef", "$recursiveRef"]) {
      const isRootId = value === root && keyword === "$id";
      if (!isRootId && Object.hasOwn(value, keyword) && typeof (value as Record<string, unknown>)[keyword] !== "object") {
        throw new SchemaSizeError(
          `it contains ${keyword} at ${nameOf(path)}. Remove it, and refer to a place in the same schema with $ref`,
        );
      }
    }
    for (const [key, inner] of Object.entries(value)) waiting.push([inner, path === "" ? key : `${path}.${key}`, level + 1]);
  }
}

const listParts = (placed: PlacedSchema) => listSchemas(placed, PART_ONE, PART_LIST, PART_MAP);
/** Lists every schema that is compiled: those within the schema, and those that references name, each with the schemas within it. */
function* listReached(root: Schema): Generator<PlacedSchema> {
  const visited = new Set<Schema>();
  const waiting: PlacedSchema[] = [{ schema: root, path: "" }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (visited.has(next.schema)) continue;
    if (typeof next.schema === "object") visited.add(next.schema);
    yield next;
    waiting.push(...listSchemasInPlace(root, next), ...listParts(next));
  }
}

/** Counts the schemas that are evaluated on one value. An endless chain of references is found here, too. */
function checkSchemasPerValue(root: Schema): void {
  const counts = new Map<Schema, number | "open">();
  const tooMany = ({ path }: PlacedSchema) =>
    new SchemaSizeError(
      `the schema at ${nameOf(path)} evaluates more than ${SCHEMAS_PER_VALUE_MOST} schemas on one value, because its alternatives and references multiply. Remove some`,
    );
  const count = (placed: PlacedSchema, depth: number): number => {
    if (typeof placed.schema === "boolean") return 1;
    const earlierCount = counts.get(placed.schema);
    if (earlierCount === "open") {
      throw new SchemaSizeError(
        `the schema at ${nameOf(placed.path)} refers to itself endlessly. Remove the reference that leads back to it`,
      );
    }
    if (earlierCount !== undefined) return earlierCount;
    if (depth > SCHEMAS_PER_VALUE_MOST) throw tooMany(placed);
    counts.set(placed.schema, "open");
    const sum = listSchemasInPlace(root, placed).reduce((before, inner) => before + count(inner, depth + 1), 1);
    if (sum > SCHEMAS_PER_VALUE_MOST) throw tooMany(placed);
    counts.set(placed.schema, sum);
    return sum;
  };
  for (const placed of listReached(root)) count(placed, 1);
}

/**
 * Counts the schemas for which the validator generates code. It generates a function for each different `$ref`, which repeats the schemas
 * within the named one.
 */
function checkCode(root: Schema): void {
  const references = new Set<string>();
  const waiting: PlacedSchema[] = [{ schema: root, path: "" }];
  let compiled = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema, path } = next;
    compiled += 1;
    if (typeof schema === "boolean") continue;
    for (const names of Object.values(isJsonObject(schema["dependentRequired"]) ? schema["dependentRequired"] : {})) {
      compiled += 1 + (Array.isArray(names) ? names.length : 0);
    }
    if (compiled > SCHEMAS_MOST) {
      throw new SchemaSizeError(
        `it consists of more than ${SCHEMAS_MOST} schemas, with its references followed. Remove fields or alternatives`,
      );
    }
    waiting.push(...listSchemas(next, IN_PLACE_ONE, IN_PLACE_LIST, IN_PLACE_MAP), ...listParts(next));
    // A function for a schema that is only a reference repeats the code of its target.
    let reference = schema["$ref"];
    if (typeof reference !== "string" || references.has(reference)) continue;
    references.add(reference);
    const followed = new Set<unknown>();
    while (typeof reference === "string" && !followed.has(reference)) {
      followed.add(reference);
      const target = findReferred(root, reference, path);
      waiting.push(target);
      reference = typeof target.schema === "object" ? target.schema["$ref"] : undefined;
    }
  }
}

/** The parts of a schema that determine its work on a value. */
export interface SchemaParts {
  inPlace: Schema[];
  named: ReadonlyMap<string, Schema>;
  /** Schemas that may be evaluated on each property. */
  eachProperty: Schema[];
  names: Schema[];
  prefix: Schema[];
  /** Schemas that may be evaluated on each item. */
  eachItem: Schema[];
  uniqueItems: boolean;
  /** The number of values in keywords that compare or require, such as `enum`. */
  compared: number;
}

/** Returns the parts of a schema, with its reference followed. Throws `SchemaSizeError` for a reference that is not allowed. */
export function readSchemaParts(root: Schema, schema: Record<string, unknown>): SchemaParts {
  const placed = { schema, path: "" };
  const schemas = (one: string[], list: string[], map: string[]) => listSchemas(placed, one, list, map).map((each) => each.schema);
  const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  return {
    inPlace: listSchemasInPlace(root, placed).map((each) => each.schema),
    named: new Map(properties.filter((entry): entry is [string, Schema] => isSchema(entry[1]))),
    eachProperty: schemas(["additionalProperties", "unevaluatedProperties"], [], ["patternProperties"]),
    names: schemas(["propertyNames"], [], []),
    prefix: schemas([], ["prefixItems"], []),
    eachItem: schemas(["items", "contains", "unevaluatedItems"], [], []),
    uniqueItems: schema["uniqueItems"] === true,
    compared: ["const", "enum", "required", "dependentRequired", "dependencies"]
      .map((keyword) => (Object.hasOwn(schema, keyword) ? countValues(schema[keyword]) : 0))
      .reduce((sum, each) => sum + each, 0),
  };
}

/** Counts the values in a value of JSON. A long text counts for each of its parts of 64 characters. */
export function countValues(value: unknown): number {
  const waiting = [value];
  let count = 0;
  for (let index = 0; index < waiting.length; index += 1) {
    const next = waiting[index];
    count += countText(next);
    if (typeof next !== "object" || next === null) continue;
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return count;
}

/** Returns 1, and more for a long text: reading 64 characters takes as long as an evaluation. */
export const countText = (value: unknown): number => 1 + (typeof value === "string" ? Math.floor(value.length / 64) : 0);

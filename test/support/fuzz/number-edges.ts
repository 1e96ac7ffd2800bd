import fc from "fast-check";
import { resolveReference, type Schema, schemaValues, type ValueOptions } from "./schema-values.ts";

/** A number within a body that is otherwise valid. */
export interface NumberPlace {
  path: string;
  schema: Schema;
  /** Returns the body with this number. */
  build: (value: unknown) => unknown;
}

const isNumber = ({ type }: Schema) => type === "number" || type === "integer";

/** Lists the numbers that a schema of JSON values has, at every place. Schemas that contain themselves are followed once. */
export function listNumbers(schema: Schema, options: ValueOptions, path = "", seen: readonly string[] = []): NumberPlace[] {
  if (schema.$ref) {
    if (seen.includes(schema.$ref)) return [];
    return listNumbers(resolveReference(schema.$ref, options), options, path, [...seen, schema.$ref]);
  }
  const inner = (one: Schema, at: string, build: (value: unknown) => unknown) =>
    listNumbers(one, options, at, seen).map((found) => ({ ...found, build: (value: unknown) => build(found.build(value)) }));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.flatMap((one) => inner(one, path, (value) => value));
  if (schema.allOf) {
    const parts = schema.allOf.map((one) => aValue(one, options));
    return schema.allOf.flatMap((one, at) => inner(one, path, (value) => Object.assign({}, ...parts.with(at, value))));
  }
  if (isNumber(schema)) return [{ path, schema, build: (value) => value }];
  if (schema.items) return inner(schema.items, `${path}[]`, (value) => [value]);
  if (schema.type !== "object") return [];
  const { properties = {}, required = [], additionalProperties } = schema;
  const base = Object.fromEntries(required.map((name) => [name, aValue(properties[name] ?? {}, options)]));
  const named = Object.entries(properties).flatMap(([name, one]) => inner(one, `${path}.${name}`, (value) => ({ ...base, [name]: value })));
  if (typeof additionalProperties !== "object") return named;
  return [...named, ...inner(additionalProperties, `${path}.*`, (value) => ({ ...base, a: value }))];
}

/** A small valid value: the deepest of the generator. */
const aValue = (schema: Schema, options: ValueOptions) => fc.sample(schemaValues(schema, options, 5), { numRuns: 1, seed: 1 })[0];

/** The edges of a number's type, and values beyond them. */
export function listEdges({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number[] {
  const min = minimum ?? exclusiveMinimum ?? Number.MIN_SAFE_INTEGER;
  const max = maximum ?? exclusiveMaximum ?? Number.MAX_SAFE_INTEGER;
  return [min, max, min - 1, max + 1, -0, 0.5, 1e308, 1e-200, Number.MIN_VALUE];
}

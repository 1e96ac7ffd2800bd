import { closest, distance } from "fastest-levenshtein";
import * as z from "zod";
import { isJsonObject } from "./json-object.ts";

type Path = readonly PropertyKey[];

/** A field that a schema does not know, with the names that the schema knows in the same object. */
export interface UnknownField {
  path: Path;
  knownNames: readonly string[];
  /** The known name that the sender most probably meant: a very similar one that the value does not have. */
  meant: string | undefined;
}

/** A name this different is not a misspelling of the known name. */
const MOST_DIFFERENT = 4;

/** Returns the known name that is most similar to an unknown one, for a suggestion to a person. */
export function findNearestName(name: string, knownNames: readonly string[]): string | undefined {
  if (knownNames.length === 0) return undefined;
  const nearest = closest(name, [...knownNames]);
  return distance(name, nearest) <= Math.min(MOST_DIFFERENT, Math.max(1, name.length - 2)) ? nearest : undefined;
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, "");

/** Returns whether a name is so similar to a known one that it is a misspelling. Senders may add fields with other names. */
function isMisspelling(name: string, plainName: string, knownName: string): boolean {
  if (plainName === plain(knownName)) return true;
  const shorter = Math.min(name.length, knownName.length);
  const most = shorter < 6 ? 1 : 2;
  // A body may have 100,000 names, and most of them have another length.
  return shorter >= 4 && Math.abs(name.length - knownName.length) <= most && distance(name, knownName) <= most;
}

/**
 * Returns the fields of a value, at any depth, that no part of its schema knows. For an object that accepts any field, only misspelt fields
 * count; a value that the schema transforms before the check has none.
 */
export function findUnknownFields(schema: z.core.$ZodType, value: unknown, around: Path = []): UnknownField[] {
  if (Array.isArray(value)) {
    const element = elementOf(schema);
    return element ? value.flatMap((item, at) => findUnknownFields(element, item, [...around, at])) : [];
  }
  if (!isJsonObject(value)) return [];
  const inner = unwrapSchema(schema);
  const def = definitionOf(inner);
  if (inner instanceof z.ZodRecord && def.valueType) {
    const { valueType } = def;
    return Object.entries(value).flatMap(([name, field]) => findUnknownFields(valueType, field, [...around, name]));
  }
  if (inner instanceof z.ZodObject) return findInObject(inner, value, around);
  if (def.type === "intersection" && def.left && def.right) {
    const placeOf = ({ path }: UnknownField) => path.map(String).join("\n");
    const right = new Map(findUnknownFields(def.right, value, around).map((field) => [placeOf(field), field]));
    return findUnknownFields(def.left, value, around).flatMap((field) => {
      const same = right.get(placeOf(field));
      return same ? [toUnknown(value, field.path, [...field.knownNames, ...same.knownNames])] : [];
    });
  }
  return def.options ? findInUnion(def.options, value, around) : [];
}

interface Definition {
  type: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  left?: z.core.$ZodType;
  right?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
}

/** The type of a schema's definition depends on its kind, which only the definition itself shows. */
const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def;

/** Returns the schema inside wrappers that do not change which fields a value has. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodLazy) return unwrapSchema(schema._zod.innerType);
  const { type, innerType, in: before } = definitionOf(schema);
  if (innerType) return unwrapSchema(innerType);
  return type === "pipe" && before ? unwrapSchema(before) : schema;
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const inner = unwrapSchema(schema);
  const { element, options = [] } = definitionOf(inner);
  return element ?? options.map(elementOf).find((found) => found !== undefined);
}

function findInObject(schema: z.ZodObject, value: Record<string, unknown>, around: Path): UnknownField[] {
  const shape = schema.shape as Record<string, z.ZodType>;
  const knownNames = Object.keys(shape);
  const isOpen = schema._zod.def.catchall !== undefined && !(schema._zod.def.catchall instanceof z.ZodNever);
  return Object.entries(value).flatMap(([name, field]) => {
    const fieldSchema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (fieldSchema) return findUnknownFields(fieldSchema, field, [...around, name]);
    const unknown = toUnknown(value, [...around, name], knownNames);
    return isOpen && unknown.meant === undefined ? [] : [unknown];
  });
}

/** `value` is the object that has the last part of the path. */
function toUnknown(value: Record<string, unknown>, path: Path, knownNames: readonly string[]): UnknownField {
  const name = String(path.at(-1));
  const plainName = plain(name);
  const absent = knownNames.filter((other) => !Object.hasOwn(value, other) && isMisspelling(name, plainName, other));
  return { path, knownNames, meant: absent.length > 0 ? closest(name, absent) : undefined };
}

/** A value of a union belongs to the alternative that accepts it, otherwise to the one that knows most of its fields. */
function findInUnion(options: readonly z.core.$ZodType[], value: Record<string, unknown>, around: Path): UnknownField[] {
  const accepting = options.filter((option) => z.safeParse(option, value).success);
  const named = options.filter((option) => hasLiteralsOf(option, value));
  const candidates = accepting.length > 0 ? accepting : named.length > 0 ? named : options.filter(acceptsObjects);
  const found = candidates.map((option) => findUnknownFields(option, value, around));
  return found.sort((one, other) => one.length - other.length)[0] ?? [];
}

/** Returns whether an alternative has fixed values, such as its type, and the value has all of them. */
function hasLiteralsOf(schema: z.core.$ZodType, value: Record<string, unknown>): boolean {
  const inner = unwrapSchema(schema);
  if (!(inner instanceof z.ZodObject)) return false;
  const fixed = Object.entries(inner.shape).filter(([, field]) => field instanceof z.ZodLiteral);
  return fixed.length > 0 && fixed.every(([name, field]) => z.safeParse(field, value[name]).success);
}

function acceptsObjects(schema: z.core.$ZodType): boolean {
  const inner = unwrapSchema(schema);
  const { options } = definitionOf(inner);
  return options ? options.some(acceptsObjects) : inner instanceof z.ZodObject;
}

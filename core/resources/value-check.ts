import Ajv2020, { type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import { toDoubles } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { parseReference } from "../../contract/utilities/reference.ts";
import { createPatternEngine } from "../patterns/pattern-engine.ts";
import { PatternError } from "../patterns/translate-pattern.ts";
import { countEvaluations, EVALUATIONS_MOST } from "./evaluation-work.ts";
import { checkSchemaSize, SchemaSizeError } from "./schema-size.ts";

interface Issue {
  path: string;
  reason: string;
  /** The path in its parts, which may contain dots. */
  at: string[];
}

/**
 * Formats are only hints for forms, and unknown keywords belong to the forms of other programs. Formats are never evaluated, so no regular
 * expression of a format is applied to a value. The engine is new for each schema, because it limits the work of all patterns together.
 */
function createValidator() {
  const options = { strict: false, validateFormats: false, allErrors: true, verbose: true, logger: false, inlineRefs: false } as const;
  const ajv = new Ajv2020.default({ ...options, code: { regExp: createPatternEngine() } });
  ajv.addMetaSchema(draft7);
  // The keyword of the package compares each item with each other item.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (isUnique: boolean) => (items: unknown[]) => !isUnique || areUnique(items),
    error: { message: "must NOT have duplicate items" },
  });
  return ajv;
}

/** Returns whether all items differ, in linear time. Objects with the same properties in another order are equal. */
const areUnique = (items: readonly unknown[]) => new Set(items.map(toComparableJson)).size === items.length;

/** `toCanonicalJson` would throw for an infinite number, which is the parsed value of a text such as 1e999. */
const toComparableJson = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

/** Compiles a schema after its size was checked. Throws `SchemaSizeError`, `PatternError`, and the errors of the validator. */
function compileSchema(schema: Record<string, unknown>): ValidateFunction {
  checkSchemaSize(schema);
  // References to the name of the schema itself are not allowed, so the name has no effect.
  const { $id: _, ...anonymous } = schema;
  return createValidator().compile(anonymous);
}

/**
 * Describes the reason for which a schema cannot be used: it is not a valid JSON Schema, it is too large, or a pattern cannot run in linear time.
 * Returns `undefined` for a usable schema.
 */
export function describeSchemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return describePatternProblem(schema, error);
    if (error instanceof RangeError) return TOO_DEEP;
    return (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_MOST);
  }
}

/** Maximum number of characters of a message of the validator, which has one sentence for each fault. */
const MESSAGE_MOST = 500;
const TOO_DEEP = "it is nested too deeply, or its references form too long a chain. Flatten it";

const describePatternProblem = (schema: Record<string, unknown>, { pattern, reason }: PatternError) =>
  `the pattern at ${findPatternPath(schema, pattern) ?? "an unknown place"} ${reason}`;

/** Returns the path of a pattern in a schema, such as `properties.name.pattern`. */
function findPatternPath(schema: Record<string, unknown>, pattern: string): string | undefined {
  const waiting: [path: readonly string[], value: unknown][] = [[[], schema]];
  // The list grows during the iteration (breadth first), so that the outermost occurrence is found first.
  for (const [path, value] of waiting) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "pattern" && inner === pattern) return [...path, key].join(".");
      if (key === "patternProperties" && isJsonObject(inner) && Object.hasOwn(inner, pattern)) return [...path, key].join(".");
      waiting.push([[...path, key], inner]);
    }
  }
  return undefined;
}

const TOO_MUCH_WORK =
  "cannot be checked, because it is too large for its schema. Enter fewer items, or remove alternatives (anyOf, oneOf, $ref) from the schema";

/** Maximum number of reported faults. */
const ISSUES_MOST = 10;

/**
 * Returns the paths at which a value does not match a schema. A `$var:` or `$res:` reference is valid everywhere, because its value is known only
 * when it is used. The reasons come from the schema and never repeat the value.
 */
export const findValueIssues = (schema: Record<string, unknown>, input: unknown): Issue[] => findIssues(schema, input, "value", toIssue);

/** Returns the arguments that do not match a schema, as `findValueIssues` does. The path of each is its name, and the reason names its type. */
export const findArgumentIssues = (schema: Record<string, unknown>, args: Record<string, unknown>): Issue[] =>
  findIssues(schema, args, "", toArgumentIssue);

function findIssues(schema: Record<string, unknown>, input: unknown, whole: string, describe: (error: ErrorObject) => Issue): Issue[] {
  const value = toDoubles(input);
  let validate: ValidateFunction;
  try {
    validate = compileSchema(schema);
    if (countEvaluations(schema, value) > EVALUATIONS_MOST) return [{ path: whole, reason: TOO_MUCH_WORK, at: [] }];
    if (validate(value)) return [];
  } catch (error) {
    return [{ path: whole, reason: `cannot be checked, because ${describeCheckProblem(schema, error)}`, at: [] }];
  }
  const referring = findReferring(value);
  return (validate.errors ?? [])
    .filter((error) => !excused(error, referring))
    .slice(0, ISSUES_MOST)
    .map(describe);
}

const toIssue = (error: ErrorObject): Issue => {
  const { instancePath, message = "does not match the schema", keyword, params } = error;
  return {
    path: `value${instancePath.replaceAll("/", ".")}`,
    reason: keyword === "enum" ? `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}` : message,
    at: findParts(error),
  };
};

function toArgumentIssue(error: ErrorObject): Issue {
  const at = findParts(error);
  return { path: at.join("."), reason: describeArgument(error), at };
}

function describeArgument(error: ErrorObject): string {
  const { keyword, params, data } = error;
  if (keyword === "required") return "is missing";
  if (keyword === "additionalProperties") return "is not in the schema";
  if (keyword === "type") return `must be ${[params["type"]].flat().join(" or ")}, but is ${describeType(data)}`;
  return toIssue(error).reason.slice(0, MESSAGE_MOST);
}

/** Returns the parts of the path of a fault. A property that is missing, or that a schema does not contain, is the last one. */
function findParts({ instancePath, keyword, params }: ErrorObject): string[] {
  const at = instancePath.split("/").slice(1).map(decodePointerPart);
  if (keyword === "required") return [...at, String(params["missingProperty"])];
  return keyword === "additionalProperties" ? [...at, String(params["additionalProperty"])] : at;
}

const decodePointerPart = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** Returns the name of a value's type in a schema. */
function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Keywords that fail because a part of the value fails, or that cannot be evaluated while a part is a reference. */
const COMPOSED = new Set(["anyOf", "oneOf", "allOf", "not", "if", "contains", "uniqueItems", "const", "enum", "dependentSchemas"]);

function excused({ data, keyword }: ErrorObject, referring: ReadonlySet<unknown>): boolean {
  if (typeof data === "string") return parseReference(data) !== undefined;
  return COMPOSED.has(keyword) && referring.has(data);
}

/** Returns the objects and arrays that contain a reference, at any depth. Each is visited once, because a value may have many faults. */
function findReferring(value: unknown): Set<unknown> {
  const waiting: [value: unknown, holder: Holder | undefined][] = [[value, undefined]];
  const found = new Set<unknown>();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [inner, holder] = next;
    if (typeof inner === "object" && inner !== null) {
      for (const each of Object.values(inner)) waiting.push([each, { value: inner, holder }]);
    } else if (parseReference(inner)) {
      for (let each = holder; each && !found.has(each.value); each = each.holder) found.add(each.value);
    }
  }
  return found;
}
interface Holder {
  value: object;
  holder: Holder | undefined;
}

/** Describes the reason for which a schema that an earlier release accepted cannot be evaluated. Throws other errors unchanged. */
function describeCheckProblem(schema: Record<string, unknown>, error: unknown): string {
  if (error instanceof PatternError) return describePatternProblem(schema, error);
  if (error instanceof SchemaSizeError) return error.message;
  if (error instanceof RangeError) return TOO_DEEP;
  throw error;
}

import Ajv2020, { type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import { isJsonObject } from "../../contract/json-object.ts";
import { createPatternEngine } from "../patterns/pattern-engine.ts";
import { PatternError } from "../patterns/translate-pattern.ts";
import { findReferences } from "./references.ts";

interface Issue {
  path: string;
  reason: string;
}

/**
 * Formats are only hints for forms, and unknown keywords belong to the forms of other programs. A format is never evaluated, so no regular
 * expression of a format meets a value. The engine is new for each schema, because it limits the work of all patterns together.
 */
function createValidator() {
  const options = { strict: false, validateFormats: false, allErrors: true, verbose: true, logger: false } as const;
  const ajv = new Ajv2020.default({ ...options, code: { regExp: createPatternEngine() } });
  ajv.addMetaSchema(draft7);
  return ajv;
}

/** Describes why a schema cannot be used: it is not a valid JSON Schema, or a pattern cannot run in linear time. Returns `undefined` if it can. */
export function describeSchemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    createValidator().compile(schema);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return describePatternProblem(schema, error);
    return error instanceof Error ? error.message : String(error);
  }
}

const describePatternProblem = (schema: Record<string, unknown>, { pattern, reason }: PatternError) =>
  `the pattern at ${findPatternPath(schema, pattern) ?? "an unknown place"} ${reason}`;

/** Returns the place of a pattern in a schema, such as `properties.name.pattern`. */
function findPatternPath(schema: Record<string, unknown>, pattern: string): string | undefined {
  const waiting: [path: readonly string[], value: unknown][] = [[[], schema]];
  // The list grows while it is read, so that the outermost place is found first.
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

/** Maximum number of reported faults. */
const ISSUES_MOST = 10;

/**
 * Returns the places at which a value does not match a schema. A `$var:` or `$res:` reference is valid everywhere, because its value is
 * known only when it is used. The reasons come from the schema and never repeat the value.
 */
export function findValueIssues(schema: Record<string, unknown>, value: unknown): Issue[] {
  let validate: ValidateFunction;
  try {
    validate = createValidator().compile(schema);
    if (validate(value)) return [];
  } catch (error) {
    return [{ path: "value", reason: `cannot be checked, because ${describeCheckProblem(schema, error)}` }];
  }
  return (validate.errors ?? [])
    .filter((error) => !excused(error))
    .slice(0, ISSUES_MOST)
    .map(({ instancePath, message = "does not match the schema", keyword, params }) => ({
      path: `value${instancePath.replaceAll("/", ".")}`,
      reason: keyword === "enum" ? `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}` : message,
    }));
}

/** Keywords that fail because a part of the value fails, or that cannot be evaluated while a part is a reference. */
const COMPOSED = new Set(["anyOf", "oneOf", "allOf", "not", "if", "contains", "uniqueItems", "const", "enum", "dependentSchemas"]);

function excused({ data, keyword }: ErrorObject): boolean {
  if (typeof data === "string") return findReferences(data).length > 0;
  return COMPOSED.has(keyword) && findReferences(data).length > 0;
}

/** Compiling a schema on save detects neither an endless schema nor one that an earlier release accepted. Throws other errors unchanged. */
function describeCheckProblem(schema: Record<string, unknown>, error: unknown): string {
  if (error instanceof PatternError) return describePatternProblem(schema, error);
  if (error instanceof RangeError) return "its schema refers to itself endlessly";
  throw error;
}

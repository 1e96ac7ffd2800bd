import Ajv2020, { type ErrorObject } from "ajv/dist/2020.js";
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import { findReferences } from "./references.ts";

interface Issue {
  path: string;
  reason: string;
}

/** Formats are only hints for forms, and unknown keywords belong to the forms of other programs. */
function validator() {
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false, allErrors: true, verbose: true, logger: false });
  ajv.addMetaSchema(draft7);
  return ajv;
}

/** Describes why a schema is not a valid JSON Schema. Returns `undefined` if it is valid. */
export function describeSchemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    validator().compile(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Maximum number of reported faults. */
const ISSUES_MOST = 10;

/**
 * Returns the places at which a value does not match a schema. A `$var:` or `$res:` reference is valid everywhere, because its value is
 * known only when it is used. The reasons come from the schema and never repeat the value.
 */
export function findValueIssues(schema: Record<string, unknown>, value: unknown): Issue[] {
  const validate = validator().compile(schema);
  try {
    if (validate(value)) return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Compiling the schema does not detect this fault. It occurs only with a value that reaches the place.
    return [{ path: "value", reason: "cannot be checked, because the schema of the type refers to itself endlessly" }];
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

import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { ErrorSchemaBuilder, type RJSFSchema, type RJSFValidationError, type ValidatorType } from "@rjsf/utils";

import { withoutSlowPatterns } from "./patterns/slow-patterns.ts";

/** These errors repeat an error of a nested value, which has its own message. */
const CONTAINERS = new Set([
  "properties",
  "items",
  "prefixItems",
  "patternProperties",
  "$ref",
  "allOf",
  "then",
  "else",
  "dependentSchemas",
]);

/**
 * A validator for rjsf that generates no code. The default one compiles schemas with `new Function`, which the page's policy forbids. Rules
 * beyond the schema (`customValidate`, `transformErrors`) are not used. Patterns run in the browser's own engine, except for those that could
 * take long. The service checks each form again in linear time, and its result is authoritative.
 */
export const validator: ValidatorType = {
  validateFormData(values, schema) {
    const errors = errorsOf(schema, values);
    const tree = new ErrorSchemaBuilder();
    for (const { path, message = "" } of errors) tree.addErrors(message, path);
    return { errors, errorSchema: tree.ErrorSchema };
  },
  isValid(schema, value, root) {
    // A part of a schema may refer to definitions of the complete schema.
    const { definitions, $defs } = root ?? {};
    const whole = { ...(definitions ? { definitions } : {}), ...($defs ? { $defs } : {}), ...schema };
    return value !== undefined && outputOf(whole, value).length === 0;
  },
  rawValidation<Result>(schema: RJSFSchema, values?: unknown) {
    // The caller names the type of the errors, which nothing checks.
    return { errors: errorsOf(schema, values) as Result[] };
  },
};

/** Returns the location of the invalid value. */
export const pathOf = (error: RJSFValidationError): string[] => (error as Partial<Found>).path ?? [];

interface Found extends RJSFValidationError {
  path: string[];
}

export function errorsOf(schema: RJSFSchema, values: unknown): Found[] {
  const found = outputOf(schema, values ?? {}).filter(({ keyword }) => !CONTAINERS.has(keyword));
  return found.map((unit) => {
    const path = placeOf(unit);
    const message = sentenceOf(unit);
    const property = path.map((part) => (/^[\w$-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join("");
    return { name: unit.keyword, path, property, message, stack: `${path.at(-1) ?? ""}: ${message}`, schemaPath: unit.keywordLocation };
  });
}

function outputOf(schema: unknown, value: unknown): OutputUnit[] {
  // Returns the value as it would be sent: an empty field is `undefined`, which JSON omits.
  const typed: unknown = JSON.parse(JSON.stringify(value));
  return new Validator(withoutSlowPatterns(schema as Schema, typed), "2020-12", false).validate(typed).errors;
}

/** By keyword; `n` is the number in the schema. */
const sentences: Readonly<Record<string, (n: string) => string>> = {
  required: () => "This field is required.",
  enum: () => "Choose one of these values.",
  const: () => "Only one value is allowed.",
  type: () => "This value has the wrong type.",
  format: () => "This value has the wrong format.",
  pattern: () => "This value has the wrong format.",
  minLength: (n) => `This is too short. Enter at least ${n} characters.`,
  maxLength: (n) => `This is too long. Enter at most ${n} characters.`,
  minimum: (n) => `This is too small. The minimum is ${n}.`,
  exclusiveMinimum: (n) => `This is too small. It must be more than ${n}.`,
  maximum: (n) => `This is too large. The maximum is ${n}.`,
  exclusiveMaximum: (n) => `This is too large. It must be less than ${n}.`,
  multipleOf: (n) => `This must be a multiple of ${n}.`,
  minItems: (n) => `Choose or enter at least ${n} items.`,
  maxItems: (n) => `Choose or enter at most ${n} items.`,
  uniqueItems: () => "Each item may appear only once.",
  additionalProperties: () => "This field is not allowed.",
};

/** The validator's own sentences end in the schema's number: "String is too short (1 < 3)." */
function sentenceOf({ keyword, error }: OutputUnit): string {
  const n = /(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\)?\.$/.exec(error)?.[1] ?? "";
  return sentences[keyword]?.(n) ?? error;
}

/** Parses a JSON pointer: `#/a/0/b~1c` is `a`, `0`, `b/c`. The message contains the name of a missing property. */
function placeOf({ keyword, error, instanceLocation }: OutputUnit): string[] {
  const missing = keyword === "required" ? /property "(.*)"/s.exec(error)?.[1] : undefined;
  const parts = instanceLocation.split("/").slice(1);
  return [
    ...parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")),
    ...(missing === undefined ? [] : [missing]),
  ];
}

import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { ErrorSchemaBuilder, type RJSFSchema, type RJSFValidationError, type ValidatorType } from "@rjsf/utils";

/** These only say that something inside them is wrong, which stands beside it in words of its own. */
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
 * rjsf's validator without code made from text: its own compiles each schema by `new Function`, which the page's policy forbids. Rules beyond the
 * schema (`customValidate`, `transformErrors`) are not used here.
 */
export const validator: ValidatorType = {
  validateFormData(values, schema) {
    const errors = errorsOf(schema, values);
    const tree = new ErrorSchemaBuilder();
    for (const { path, message = "" } of errors) tree.addErrors(message, path);
    return { errors, errorSchema: tree.ErrorSchema };
  },
  isValid(schema, value, root) {
    // A part of a schema refers to what the whole one defines.
    const { definitions, $defs } = root ?? {};
    const whole = { ...(definitions ? { definitions } : {}), ...($defs ? { $defs } : {}), ...schema };
    return value !== undefined && outputOf(whole, value).length === 0;
  },
  rawValidation(schema, values) {
    return { errors: errorsOf(schema, values) as never[] };
  },
};

/** Where the value stands that an error of this validator is about. */
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
  // As it would be sent: an emptied field is `undefined`, which JSON leaves out.
  return new Validator(schema as Schema, "2020-12", false).validate(JSON.parse(JSON.stringify(value))).errors;
}

/** By keyword; `n` is the schema's own number. */
const sentences: Readonly<Record<string, (n: string) => string>> = {
  required: () => "Fill this in.",
  enum: () => "Choose one of these.",
  const: () => "Only one value is possible here.",
  type: () => "This is not of the right kind.",
  format: () => "This does not have the right form.",
  pattern: () => "This does not have the right form.",
  minLength: (n) => `This is too short: it needs at least ${n} characters.`,
  maxLength: (n) => `This is too long: it may have at most ${n} characters.`,
  minimum: (n) => `This is too small: the least is ${n}.`,
  exclusiveMinimum: (n) => `This is too small: it must be more than ${n}.`,
  maximum: (n) => `This is too large: the most is ${n}.`,
  exclusiveMaximum: (n) => `This is too large: it must be less than ${n}.`,
  multipleOf: (n) => `This must be a multiple of ${n}.`,
  minItems: (n) => `These are too few: at least ${n} are needed.`,
  maxItems: (n) => `These are too many: at most ${n} may stand here.`,
  uniqueItems: () => "Each may stand here once.",
  additionalProperties: () => "This does not belong here.",
};

/** The validator's own sentences end in the schema's number: "String is too short (1 < 3)." */
function sentenceOf({ keyword, error }: OutputUnit): string {
  const n = /(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\)?\.$/.exec(error)?.[1] ?? "";
  return sentences[keyword]?.(n) ?? error;
}

/** `#/a/0/b~1c` → `a`, `0`, `b/c`; what is missing is named by the sentence. */
function placeOf({ keyword, error, instanceLocation }: OutputUnit): string[] {
  const missing = keyword === "required" ? /property "(.*)"/s.exec(error)?.[1] : undefined;
  const parts = instanceLocation.split("/").slice(1);
  return [
    ...parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")),
    ...(missing === undefined ? [] : [missing]),
  ];
}

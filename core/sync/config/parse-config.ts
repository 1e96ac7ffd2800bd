import * as z from "zod";
import { findNearestName, unwrapSchema } from "../../../contract/json/unknown-fields.ts";
import { createLocator } from "../check/locate.ts";
import { parseYaml } from "../files/yaml.ts";
import type { FileProblem } from "../item.ts";
import { configSchema, type SyncConfig } from "./config.ts";

const MOST_PROBLEMS = 100;

/** Parses `svc.yaml`. Returns the problems with their positions and, for an unknown property, the nearest name. */
export function parseConfig(file: string, text: string): { config: SyncConfig } | { problems: FileProblem[] } {
  const parsed = parseYaml(file, text);
  if ("problem" in parsed) return { problems: [parsed.problem] };
  const checked = configSchema.safeParse(parsed.value ?? {});
  if (checked.success) return { config: checked.data };
  const placeOf = createLocator(text);
  // Finding a position parses the file again, so only the first unknown names are reported.
  const problems = checked.error.issues.flatMap(describeIssue).slice(0, MOST_PROBLEMS);
  return { problems: problems.map(({ path, message }) => ({ file, ...placeOf(path), message })) };
}

interface PlacedMessage {
  path: readonly PropertyKey[];
  message: string;
}

function describeIssue(issue: z.core.$ZodIssue): PlacedMessage[] {
  const at = issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `;
  if (issue.code !== "unrecognized_keys") return [{ path: issue.path, message: `${at}${issue.message}` }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: `${at}${describeUnknown(key, issue.path)}` }));
}

function describeUnknown(key: string, path: readonly PropertyKey[]): string {
  const fieldNames = Object.keys(shapeAt(path) ?? {});
  const elsewhere = path.length > 0 && Object.hasOwn(configSchema.shape, key) ? " It belongs to the top level." : "";
  const nearest = findNearestName(key, fieldNames);
  const guess = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `there is no property ${JSON.stringify(key)} here.${elsewhere || guess}`;
}

/** Returns the properties that are known at a path of the schema. */
function shapeAt(path: readonly PropertyKey[]): Record<string, unknown> | undefined {
  let schema: z.core.$ZodType | undefined = configSchema;
  for (const part of path) schema = schema && innerSchemaOf(unwrapSchema(schema), part);
  const inner = schema && unwrapSchema(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

function innerSchemaOf(schema: z.core.$ZodType, part: PropertyKey): z.core.$ZodType | undefined {
  if (typeof part === "number") return schema instanceof z.ZodArray ? schema.def.element : undefined;
  return schema instanceof z.ZodObject ? (schema.shape[String(part)] ?? schema.def.catchall) : undefined;
}

import { isJsonObject } from "../../contract/json/json-object.ts";
import { buildOperationId } from "./operation-id.ts";
import type { RunnableKind } from "./select.ts";
import { toShape } from "./shape.ts";

type Json = Record<string, unknown>;

/** A script or flow in a document. */
export interface DocumentedRunnable {
  kind: RunnableKind;
  path: string;
  summary?: string | undefined;
  description?: string | undefined;
  schema?: Json | undefined;
  labels?: readonly string[] | undefined;
  /** A preprocessor creates the arguments from any request. */
  hasPreprocessor: boolean;
}

/** The components to which operations refer. Each one is added when an operation uses it. */
export interface Components {
  schemas: Map<string, Json>;
  securitySchemes: Map<string, Json>;
}

/** Returns the name of the shape of a runnable's arguments, which it adds to the components. `undefined` if it has no schema. */
export function addArguments({ schemas }: Components, { kind, path, schema, hasPreprocessor }: DocumentedRunnable): string | undefined {
  if (!isJsonObject(schema) || hasPreprocessor) return undefined;
  const name = buildOperationId(kind, path);
  if (!schemas.has(name)) schemas.set(name, toShape(schema, `#/components/schemas/${name}`));
  return name;
}

/** Adds the security scheme for a token of this service or a JWT, and returns its requirement. */
export function requireBearer({ securitySchemes }: Components): Json[] {
  securitySchemes.set("bearer", { type: "http", scheme: "bearer", bearerFormat: "JWT" });
  return [{ bearer: [] }];
}

/** Returns the tags of an operation: all labels, or the folder of its path if it has none. */
export function findTags(path: string, ...labels: readonly (readonly string[] | null | undefined)[]): string[] {
  const tags = [...new Set(labels.flatMap((list) => list ?? []))];
  return tags.length > 0 ? tags : [path.split("/").slice(0, 2).join("/")];
}

/** Returns the summary and the description that are not empty. */
export const describeOperation = (summary: string | null | undefined, description: string | null | undefined): Json => ({
  ...(summary ? { summary } : {}),
  ...(description ? { description } : {}),
});

const RESULT = { description: "The result.", content: { "application/json": { schema: {} } } };
const STARTED = { description: "The id of the job.", content: { "text/plain": { schema: { type: "string", format: "uuid" } } } };
const STREAM = {
  description: "The events of the job, the last of them with its result.",
  content: { "text/event-stream": { schema: { type: "string" } } },
};
const REFUSED = {
  description: "One sentence that says why the call did not succeed.",
  content: { "text/plain": { schema: { type: "string" } } },
};

/** The responses of an operation that runs a script or flow. */
export const responsesOf = (type: "sync" | "async" | "sync_sse"): Json => ({
  ...(type === "async" ? { "201": STARTED } : { "200": type === "sync" ? RESULT : STREAM }),
  default: REFUSED,
});

/** Returns the JSON body of an operation. */
export const jsonBody = (schema: Json, required: boolean): Json => ({
  requestBody: { required, content: { "application/json": { schema } } },
});

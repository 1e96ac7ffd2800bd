import { buildOperationId } from "./operation-id.ts";
import {
  addArguments,
  type Components,
  type DocumentedRunnable,
  describeOperation,
  findTags,
  jsonBody,
  requireBearer,
  responsesOf,
} from "./parts.ts";

type Json = Record<string, unknown>;

/** Returns the operations that start a script or flow, asynchronously and synchronously, each with its path. */
export function buildWebhookOperations(workspace: string, runnable: DocumentedRunnable, components: Components): [path: string, Json][] {
  const { kind, path, schema, summary, description, labels } = runnable;
  const name = addArguments(components, runnable);
  const shape: Json = name === undefined ? {} : { $ref: `#/components/schemas/${name}` };
  const isRequired = name !== undefined && Array.isArray(schema?.["required"]) && schema["required"].length > 0;
  const forms = [
    { form: "run", prefix: `${kind}_start`, type: "async" },
    { form: "run_wait_result", prefix: `${kind}_run`, type: "sync" },
  ] as const;
  return forms.map(({ form, prefix, type }) => [
    `/api/w/${workspace}/jobs/${form}/${kind === "script" ? "p" : "f"}/${path}`,
    {
      operationId: buildOperationId(prefix, path),
      tags: findTags(path, labels),
      ...describeOperation(summary, description),
      security: requireBearer(components),
      ...jsonBody(shape, isRequired),
      responses: responsesOf(type),
    },
  ]);
}

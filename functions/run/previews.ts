import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import type { FlowPreview } from "../../contract/routes/flows/flow-runs.ts";
import type { Preview, RunQuery } from "../../contract/routes/jobs/runs.ts";
import { buildJobOptions, type RunRequest } from "../../services/execution/requests/run-request.ts";
import { idempotencyKeyFrom } from "../../services/jobs/queue/idempotency-key.ts";
import type { RunAuth } from "../shared/run-routes.ts";

interface PreviewCall<Body> {
  auth: RunAuth;
  params: { workspace: string };
  query: RunQuery & { timeout?: number | undefined };
  body: Body;
  headers: Payload["headers"];
}

/** Reads a call that runs code that is not stored. Throws `idempotency.key`. */
export function readPreviewRequest({ auth: { actor }, params: { workspace }, query, body, headers }: PreviewCall<Preview>): RunRequest {
  const { content, language, path, args = {}, lock } = body;
  const code = { content, ...(lock === undefined ? {} : { lock }) };
  return {
    preview: {
      ...buildJobOptions(actor, workspace, query, Date.now()),
      kind: "preview",
      path,
      language,
      code,
      args,
      tag: query.tag ?? body.tag ?? language,
      timeoutS: query.timeout,
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "preview"], { args: { args, code, language }, files: [] }),
    },
  };
}

/** Reads a call that runs a flow that is not stored. Throws `idempotency.key`. */
export function readFlowPreviewRequest({
  auth: { actor },
  params: { workspace },
  query,
  body,
  headers,
}: PreviewCall<FlowPreview>): RunRequest {
  const { value, path, args } = body;
  return {
    preview: {
      ...buildJobOptions(actor, workspace, query, Date.now()),
      kind: "flowpreview",
      path: path ?? undefined,
      code: { flow: value },
      args: args ?? {},
      tag: query.tag ?? body.tag ?? "flow",
      timeoutS: limits.flowTimeoutS,
      eraseAfterS: value.delete_after_secs ?? undefined,
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "preview_flow"], { args: { args, value }, files: [] }),
    },
  };
}

import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import type { Payload } from "../../../contract/payload.ts";
import type { FlowPreview } from "../../../contract/routes/flows/flow-runs.ts";
import type { BundlePreview, Preview, RunQuery } from "../../../contract/routes/jobs/runs.ts";
import { checkBundle } from "../../../core/builds/check-bundle.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { idempotencyKeyFrom } from "../../jobs/queue/idempotency-key.ts";
import { findPreviewPath } from "../../jobs/queue/preview-path.ts";
import type { Uses } from "../../uses.ts";
import { buildJobOptions, type RunCall } from "./run-request.ts";

/** A call that runs code that is not stored. */
export interface PreviewCall<Body> {
  actor: Actor;
  workspace: string;
  query: RunQuery & { timeout?: number | undefined };
  body: Body;
  headers: Payload["headers"];
}

/** Returns the request to run a script that is not stored. Throws `idempotency.key`. */
export async function buildPreviewRequest(
  deps: Uses<"jobs">,
  { actor, workspace, query, body, headers }: PreviewCall<Preview>,
): Promise<RunCall> {
  const { content, language, path, args = {}, lock, temp_script_refs: tempScripts } = body;
  const code = { content, ...defined({ lock }), ...(tempScripts ? { tempScripts } : {}) };
  return {
    job: {
      ...(await buildJobOptions(deps, actor, workspace, query)),
      kind: "preview",
      path: findPreviewPath(actor, workspace, path),
      language,
      code,
      args,
      tag: query.tag ?? body.tag ?? language,
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "preview"], { args: { args, code, language }, files: [] }),
    },
  };
}

/** Returns the request to run an uploaded bundle. Throws `idempotency.key`, `bundle.language` and `bundle.invalid`. */
export async function buildBundlePreviewRequest(
  deps: Uses<"jobs">,
  call: PreviewCall<BundlePreview> & { bytes: Buffer },
): Promise<RunCall> {
  const { actor, workspace, body, bytes, headers } = call;
  const { kind, format, ...preview } = body;
  const bundle = checkBundle({ bytes, tar: kind === "tarbundle", ...defined({ format }) }, body);
  const { job } = await buildPreviewRequest(deps, { ...call, body: preview });
  const { args, language, content } = body;
  return {
    job: {
      ...job,
      code: { content, bundle },
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "preview_bundle"], {
        args: { args, content, language, bundle },
        files: [],
      }),
    },
    bundle: { bytes, sha256: bundle.sha256 },
  };
}

/** Returns the request to run a flow that is not stored. Throws `idempotency.key`. */
export async function buildFlowPreviewRequest(
  deps: Uses<"jobs">,
  { actor, workspace, query, body, headers }: PreviewCall<FlowPreview>,
): Promise<RunCall> {
  const { value, path, args, restarted_from: origin, temp_script_refs: tempScripts } = body;
  return {
    job: {
      ...(await buildJobOptions(deps, actor, workspace, query)),
      kind: "flowpreview",
      path: findPreviewPath(actor, workspace, path),
      code: { flow: value, ...(tempScripts ? { tempScripts } : {}) },
      args: args ?? {},
      tag: query.tag ?? body.tag ?? "flow",
      timeoutS: limits.flowTimeoutS,
      eraseAfterS: value.delete_after_secs ?? undefined,
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "preview_flow"], {
        args: { args, value, ...(origin ? { origin } : {}), ...(tempScripts ? { tempScripts } : {}) },
        files: [],
      }),
    },
  };
}

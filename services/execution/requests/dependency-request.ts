import { type Dependencies, type FlowDependencies, pathOf } from "../../../contract/routes/jobs/dependency-runs.ts";
import { idempotencyKeyFrom } from "../../jobs/queue/idempotency-key.ts";
import { findPreviewPath } from "../../jobs/queue/preview-path.ts";
import type { Uses } from "../../uses.ts";
import type { PreviewCall } from "./preview-request.ts";
import { buildJobOptions, type RunCall } from "./run-request.ts";

/** The time within which a build ends. */
const BUILD_S = 600;

/** Returns the request to resolve the lock of a script that is not stored. Throws `idempotency.key`. */
export async function buildDependenciesRequest(
  deps: Uses<"jobs">,
  { actor, workspace, query, body, headers }: PreviewCall<Dependencies>,
): Promise<RunCall> {
  const { raw_scripts: scripts, entrypoint, raw_workspace_dependencies: files, temp_script_refs: temps } = body;
  const entry = scripts.find((script) => pathOf(script) === entrypoint) ?? scripts[0];
  if (!entry) throw new Error("The request has no script.");
  const path = pathOf(entry) ?? entrypoint ?? undefined;
  const sources = Object.fromEntries(
    scripts.flatMap((script) => {
      const at = pathOf(script);
      return script === entry || at === undefined ? [] : [[at, script.raw_code]];
    }),
  );
  return {
    job: {
      ...(await buildJobOptions(deps, actor, workspace, query)),
      kind: "dependencies",
      path: findPreviewPath(actor, workspace, path),
      language: entry.language,
      code: { content: entry.raw_code, at: path, sources, dependencyFiles: files ?? undefined, tempScripts: temps ?? undefined },
      args: {},
      timeoutS: BUILD_S,
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "dependencies"], { args: { ...body }, files: [] }),
    },
  };
}

/** Returns the request to resolve the locks of the inline scripts of a flow that is not stored. Throws `idempotency.key`. */
export async function buildFlowDependenciesRequest(
  deps: Uses<"jobs">,
  { actor, workspace, query, body, headers }: PreviewCall<FlowDependencies>,
): Promise<RunCall> {
  const { path, flow_value: flow, raw_workspace_dependencies: files, temp_script_refs: temps } = body;
  return {
    job: {
      ...(await buildJobOptions(deps, actor, workspace, query)),
      kind: "flowdependencies",
      path: findPreviewPath(actor, workspace, path),
      code: { flow, at: path ?? undefined, dependencyFiles: files ?? undefined, tempScripts: temps ?? undefined },
      args: {},
      timeoutS: BUILD_S,
      idempotencyKey: idempotencyKeyFrom(headers, [workspace, actor.email, "flow_dependencies"], { args: { ...body }, files: [] }),
    },
  };
}

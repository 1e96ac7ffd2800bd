import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { RunnableQuery } from "../../contract/routes/jobs/inputs.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import type { InputOwner } from "../../core/inputs/saved-input.ts";
import { hasFlowPath, type Job } from "../../core/jobs/record/job.ts";
import { may } from "../../core/permissions/may.ts";
import { parseJson } from "../../core/records/record-format.ts";
import {
  chooseSchema,
  type StoredVersion,
  scriptBodyObject,
  scriptHeadObject,
  scriptListingObject,
  scriptVersionObject,
} from "../../core/scripts/version.ts";
import { loadFlow, requireNewestFlow } from "../flows/definitions/load.ts";
import { type ObjectCaller, permit } from "../identity/permit.ts";
import { requireNewestScript, requireScriptVersion } from "../scripts/load.ts";
import type { Uses } from "../uses.ts";

/** A script or flow, and the version of the script that a request names. */
export type Runnable = InputOwner & { hash?: string };

/**
 * Returns the script or flow that a request names, if the caller may run it. Throws `script.notFound`, `script.versionNotFound`, `flow.notFound` and
 * `auth.forbidden`.
 */
export async function findRunnable(
  { objects }: Uses<"objects">,
  { actor, action, workspace }: ObjectCaller,
  { runnable_id: id, runnable_type: type }: RunnableQuery,
): Promise<Runnable> {
  if (type === "ScriptHash") {
    const { path, hash } = requireScriptVersion(await objects.get(scriptVersionObject.key(workspace, id)), id);
    permit(actor, action, { workspace, path, kind: "script" }, () => new SvcError("script.versionNotFound", { hash }));
    return { kind: "script", path, hash };
  }
  const kind = type === "FlowPath" ? "flow" : "script";
  permit(actor, action, { workspace, path: id, kind }, () => new SvcError(`${kind}.notFound`, { path: id }));
  return { kind, path: id };
}

/** Returns whether the caller may run a script or flow. */
export const mayRun = ({ actor, action, workspace }: ObjectCaller, { kind, path }: InputOwner): boolean =>
  may(actor, action.access, { workspace, path, kind });

/** Loads the schema of the arguments of the newest version. Throws `script.notFound` and `flow.notFound`. */
export async function loadSchema(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  { kind, path }: InputOwner,
): Promise<Record<string, unknown> | undefined> {
  if (kind === "flow") {
    const { version } = requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path);
    return loadFlowSchema(deps, workspace, version);
  }
  const { hash } = requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, path)), path);
  return loadScriptSchema(deps, workspace, { path, hash });
}

/** Loads the schema of the version that a job has run. `undefined` for a preview, and for a version that was deleted. */
export async function loadJobSchema(deps: Uses<"objects" | "storage">, job: Job): Promise<Record<string, unknown> | undefined> {
  const { workspace, path, hash, flow } = job;
  if (!hasFlowPath(job)) return path === undefined || hash === undefined ? undefined : loadScriptSchema(deps, workspace, { path, hash });
  try {
    return flow?.version === undefined ? undefined : await loadFlowSchema(deps, workspace, flow.version);
  } catch (error) {
    if (isSvcError(error) && error.code === "flow.versionNotFound") return undefined;
    throw error;
  }
}

const loadFlowSchema = async (deps: Uses<"objects" | "storage">, workspace: string, version: number) =>
  (await loadFlow(deps, workspace, version)).sent.schema ?? undefined;

/**
 * Loads the schema of a version. A version of more than 100 KB is in the bucket, in which the functions that read jobs may not read sources: then the list entry
 * has the schema that the author of the newest version has stated.
 */
async function loadScriptSchema({ objects }: Uses<"objects">, workspace: string, { path, hash }: { path: string; hash: string }) {
  const found = await objects.get(scriptBodyObject.key(workspace, hash));
  const { json } = found ? scriptBodyObject.parse(found) : {};
  if (found && json !== undefined) {
    const { sent, inferredSchema } = parseJson({ parent: found.pk, ref: found.sk, json }) as StoredVersion;
    return chooseSchema(sent.schema, inferredSchema);
  }
  const listed = await objects.get(scriptListingObject.key(workspace, path));
  return (listed && scriptListingObject.parse(listed).schema) ?? undefined;
}

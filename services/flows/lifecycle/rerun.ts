import { pMapSettled } from "p-map";
import { actions } from "../../../contract/access/actions.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { Payload } from "../../../contract/payload.ts";
import type { InputTransform, Rerun } from "../../../contract/routes/jobs/runs.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { flowHeadObject, flowVersionObject } from "../../../core/flows/version.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import type { ObjectKey, StoredObject } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { escapeByOrigin } from "../../../core/resources/reference-origin.ts";
import { escapeReferences } from "../../../core/resources/references.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { scriptHeadObject, scriptVersionObject } from "../../../core/scripts/version.ts";
import { ENTRYPOINT_ARGUMENT } from "../../execution/invoke-runner.ts";
import { findPageTrigger } from "../../execution/requests/version-request.ts";
import { permit } from "../../identity/permit.ts";
import type { IdempotencyKey } from "../../jobs/queue/create-job-record.ts";
import { buildFlowJobFields, buildScriptJobFields, enqueueJob, type NewJob } from "../../jobs/queue/enqueue.ts";
import { idempotencyKeyFrom } from "../../jobs/queue/idempotency-key.ts";
import { createVisibilityFilter, type JobCaller } from "../../jobs/read/read.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { loadReferenceFilter } from "../../resources/inherited-references.ts";
import { loadReferenceScope } from "../../resources/reference-scope.ts";
import { requireNewestScript, requireScriptVersion } from "../../scripts/load.ts";
import type { Uses } from "../../uses.ts";
import { requireFlowVersion, requireNewestFlow } from "../definitions/load.ts";

type RerunOptions = Rerun["script_options_by_path"][string];

/** The number of jobs that are started at a time. */
const AT_ONCE = 10;

/**
 * Runs jobs again with the caller's rights. Returns the id of the new job, or the error, for each job in the requested order: a failure
 * does not stop the others. With the header `Idempotency-Key`, each place in the list has a key, so that a repeated call starts no job
 * twice. Throws `idempotency.key`.
 */
export async function rerunJobs(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  caller: JobCaller & { workspace: string },
  request: Rerun,
  headers: Payload["headers"],
): Promise<PromiseSettledResult<string>[]> {
  const { workspace } = caller;
  const { job_ids: ids, script_options_by_path: ofScripts, flow_options_by_path: ofFlows } = request;
  const fingerprinted = { args: { ...request }, files: [] };
  const keyFor = (position: string) => idempotencyKeyFrom(headers, [workspace, caller.actor.email, "rerun", position], fingerprinted);
  // An invalid key refuses the call, not each of its jobs.
  keyFor("");
  const jobs = new Map((await deps.jobs.batchGet([...new Set(ids)])).map((job) => [job.id, job]));
  const rerun = createRerun(deps, caller, findPageTrigger(headers));
  const rerunAt = (id: string, index: number) => {
    const job = jobs.get(id);
    const options = (job?.kind === "flow" ? ofFlows : ofScripts)[job?.path ?? ""] ?? {};
    return rerun(id, job, options, keyFor(`${index} ${id}`));
  };
  // The caller reports the error of each job in a separate line.
  return pMapSettled(ids, rerunAt, { concurrency: AT_ONCE });
}

/**
 * Returns a function that runs a job again with the caller's rights, and returns the id of the new job. It throws `job.notFound` for a job that the caller may
 * not see, `rerun.kind`, `rerun.erased`, `rerun.secrets` and `rerun.expression`, and as running the version does.
 */
export function createRerun(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  caller: JobCaller & { workspace: string },
  trigger?: "ui",
) {
  const { actor, workspace } = caller;
  const isVisible = createVisibilityFilter(caller);
  const versionFor = createVersionLoader(deps, actor, workspace);
  return async (id: string, job: Job | undefined, options: RerunOptions, idempotencyKey: IdempotencyKey | undefined): Promise<string> => {
    if (job?.workspace !== workspace || !isVisible(job)) throw new SvcError("job.notFound", { id });
    const version = await versionFor(job, options);
    const args = await loadRerunArguments(deps, actor, job, options);
    const newJob: NewJob = {
      actor,
      workspace,
      ...version.job,
      ...(job.preprocess === "wanted" && version.preprocesses ? { preprocess: true as const } : {}),
      args,
      idempotencyKey,
      trigger,
    };
    return (await enqueueJob(deps, newJob)).id;
  };
}

/** The fields of a new job of a version. */
interface RerunVersion {
  job: Omit<NewJob, "actor" | "workspace" | "args">;
  /** The version has a preprocessor. Arguments that it has not processed are still an event. */
  preprocesses: boolean;
}
const ofScript = (script: Runnable): RerunVersion => ({
  job: buildScriptJobFields(script),
  preprocesses: script.preprocessor !== undefined,
});
const ofFlow = (flow: RunnableFlow): RerunVersion => ({ job: buildFlowJobFields(flow), preprocesses: flow.preprocessor === true });

/**
 * Returns a loader for the version that a job runs, or the newest at its path. Each version is read once. The loader throws `rerun.kind`,
 * and as running the version does.
 */
function createVersionLoader({ objects }: Uses<"objects">, actor: Actor, workspace: string) {
  const read = new Map<string, Promise<RerunVersion>>();
  const readOnce = (key: ObjectKey, version: (found: StoredObject | undefined) => RerunVersion) => {
    const name = JSON.stringify(key);
    const loading = read.get(name) ?? objects.get(key).then(version);
    read.set(name, loading);
    return loading;
  };
  return async (job: Job, { use_latest_version: latest }: RerunOptions): Promise<RerunVersion> => {
    const { id, kind, path, hash, flow: { version } = {} } = job;
    if (kind === "flow" && path !== undefined && version !== undefined) {
      permit(actor, actions.runFlow, { workspace, path }, () => new SvcError("flow.notFound", { path }));
      if (latest) return readOnce(flowHeadObject.key(workspace, path), (found) => ofFlow(requireNewestFlow(found, path)));
      return readOnce(flowVersionObject.key(workspace, version), (found) => ofFlow(requireFlowVersion(found, version)));
    }
    if (kind !== "script" || path === undefined || hash === undefined) throw new SvcError("rerun.kind", { id, kind });
    permit(actor, actions.runScript, { workspace, path }, () => new SvcError("script.notFound", { path }));
    if (latest) return readOnce(scriptHeadObject.key(workspace, path), (found) => ofScript(requireNewestScript(found, path)));
    return readOnce(scriptVersionObject.key(workspace, hash), (found) => ofScript(requireScriptVersion(found, hash)));
  };
}

/** Returns the arguments of the original job, changed according to the options. Throws `rerun.erased`, `rerun.secrets` and `rerun.expression`. */
async function loadRerunArguments(
  deps: Uses<"jobs" | "objects" | "storage">,
  actor: Actor,
  job: Job,
  { input_transforms: transforms = {} }: RerunOptions,
): Promise<Record<string, unknown>> {
  if (hasEnded(job) && job.erased) throw new SvcError("rerun.erased", { id: job.id });
  if (job.redactedArgs) throw new SvcError("rerun.secrets", { id: job.id });
  const { [ENTRYPOINT_ARGUMENT]: entrypoint, ...others } = (await loadJson(deps, job, job.args)) as Record<string, unknown>;
  // The result of a preprocessor may come from a stranger, and named no function when it was passed to `main`.
  const stored = entrypoint === undefined || job.preprocess === "done" ? others : { ...others, [ENTRYPOINT_ARGUMENT]: entrypoint };
  const input = escapeReferences(stored, await loadReferenceFilter(deps, actor, job, stored)) as Record<string, unknown>;
  const isInScope = await loadReferenceScope(deps, { actor, workspace: job.workspace }, transforms);
  const changed: [string, unknown][] = [];
  for (const [argument, transform] of Object.entries(transforms)) {
    const value = await evaluateTransform(argument, transform, { job: expressionJob(job, input) });
    changed.push([argument, escapeByOrigin(transform, value, { stored: RERUN_ARGUMENTS, mayRefer: isInScope })]);
  }
  return Object.fromEntries([...Object.entries(input), ...changed]);
}

/** Names whose values are those of the original job. */
const RERUN_ARGUMENTS = new Set(["job"]);

/** Returns the value of `job` in expressions. */
const expressionJob = (job: Job, input: Record<string, unknown>) => ({
  id: job.id,
  input,
  script_path: job.path ?? null,
  script_hash: job.hash ?? null,
  created_by: job.createdBy,
  created_at: new Date(job.createdAtMs).toISOString(),
  scheduled_for: new Date(job.scheduledForMs ?? job.createdAtMs).toISOString(),
});

async function evaluateTransform(argument: string, transform: InputTransform, names: Record<string, unknown>): Promise<unknown> {
  if (transform.type === "static") return transform.value ?? null;
  // Loaded on first use, because it contains an interpreter.
  const { evaluateExpression: evaluate } = await import("../runtime/expressions/evaluate-expression.ts");
  const evaluated = await evaluate(transform.expr, names);
  if (evaluated.ok) return evaluated.value;
  throw new SvcError("rerun.expression", { argument, reason: evaluated.reason });
}

import { defined } from "../../../contract/defined.ts";
import { isSvcError } from "../../../contract/errors.ts";
import { flowValueSchema } from "../../../contract/flows/flow-value-schema.ts";
import { limits } from "../../../contract/limits.ts";
import { withinBounds } from "../../../contract/utilities/within-bounds.ts";
import type { BuildOverrides } from "../../../core/builds/packages/overrides.ts";
import { collectReferences } from "../../../core/flows/references.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { flowVersionObject } from "../../../core/flows/version.ts";
import type { Job, RunningJob } from "../../../core/jobs/record/job.ts";
import { failedEnding, flowDueMs } from "../../../core/jobs/record/lifecycle.ts";
import { objectPrefix } from "../../../core/jobs/record/retention.ts";
import { createMasker } from "../../../core/secrets/mask.ts";
import { findArgumentProblem, toInvalidEnding } from "../../execution/arguments/check-arguments.ts";
import { decideEnd, type JobEnding } from "../../execution/endings/job-ending.ts";
import { findCachedResult, resolveCacheKey } from "../../jobs/cache/cache.ts";
import { holdEarlierRun } from "../../jobs/erasure/earlier-run.ts";
import { waitForBuild } from "../../jobs/queue/build-waiters.ts";
import { loadJson, loadValue } from "../../jobs/values/values.ts";
import { findReaders } from "../../resources/find-readers.ts";
import { resolveReferences } from "../../resources/resolve.ts";
import type { Uses } from "../../uses.ts";
import { attachMachine, settleFlowBuild } from "../definitions/build.ts";
import { findPlan, type LoadedPlan, requireFlowVersion } from "../definitions/load.ts";
import { planFlow } from "../definitions/plan.ts";
import { evaluateWithReads } from "../runtime/expressions/evaluate-with-reads.ts";
import { loadFlowEnvironment } from "../runtime/expressions/flow-environment.ts";
import { writeReusedSteps } from "../runtime/journal.ts";
import { startExecution } from "./start-execution.ts";

export type StartFlowDeps = Uses<
  "jobs" | "objects" | "storage" | "queue" | "executions" | "functions" | "dataKeys" | "nowMs" | "target" | "registries"
>;

/**
 * Starts the execution of a claimed flow job, or returns the job to the queue until its version is built. A flow that needs no execution
 * ends at once. Throws `flow.versionNotFound`.
 */
export async function startFlow(deps: StartFlowDeps, job: RunningJob): Promise<JobEnding | undefined> {
  const { objects } = deps;
  const { workspace } = job;
  const flow: NonNullable<Job["flow"]> = job.flow ?? { execution: 0 };
  if (flow.plan) return beginExecution(deps, job, { isRepeated: true });
  if (job.kind !== "flow") return startPreview(deps, job);
  const { version = 0 } = flow;
  const load = async () => requireFlowVersion(await objects.get(flowVersionObject.key(workspace, version)), version);
  const runnable = await load();
  const build = await settleFlowBuild(deps, runnable);
  switch (build.state) {
    case "pending":
      return waitForBuild(deps, job, async () => (await load()).build.state === "pending");
    case "failed":
      return decideEnd(job, failedEnding({ name: "DependencyError", message: build.error }));
    case "ready": {
      const problem = await findInputProblem(deps, job, runnable);
      if (problem) return decideEnd(job, toInvalidEnding(problem));
      return beginExecution(deps, {
        ...job,
        flow: { ...flow, plan: build.plan, ...(build.stateMachine ? { stateMachine: build.stateMachine } : {}) },
      });
    }
  }
}

/** Describes the inputs that do not match the schema of the flow. The result of a preprocessor is checked when it has ended. */
async function findInputProblem(deps: StartFlowDeps, job: RunningJob, flow: RunnableFlow) {
  if (!flow.inputSchema || job.preprocess === "wanted") return undefined;
  return findArgumentProblem(flow, (await loadJson(deps, job, job.args)) as Record<string, unknown>);
}

/** A preview may have been stored by an earlier release, long before it starts. */
const previewedFlowSchema = withinBounds(flowValueSchema);

async function startPreview(deps: StartFlowDeps, job: RunningJob): Promise<JobEnding | undefined> {
  const { storage, functions } = deps;
  const { flow: previewFlow, tempScripts } = (job.code ? await loadJson(deps, job, job.code) : {}) as { flow?: unknown } & BuildOverrides;
  const source = {
    path: job.path ?? `${job.permissionedAs}/preview`,
    value: previewedFlowSchema.parse(previewFlow),
    overrides: { tempScripts },
  };
  const built = await planFlow(deps, job, source);
  const planned = await attachMachine(functions, job.workspace, job.path ?? "preview", built);
  if (!planned.ok) return decideEnd(job, { ...failedEnding({ name: "DependencyError", message: planned.error }), log: planned.log });
  const plan = `${objectPrefix(job)}plan.json`;
  await storage.putObject(plan, JSON.stringify(planned.plan), "application/json");
  const flow: NonNullable<Job["flow"]> = job.flow ?? { execution: 0 };
  return beginExecution(deps, { ...job, flow: { ...flow, plan, ...(planned.machine ? { stateMachine: planned.machine } : {}) } });
}

/** `isRepeated`: an earlier attempt has recorded the beginning, with the key of the cache if the run has one. */
async function beginExecution(
  deps: StartFlowDeps,
  job: RunningJob,
  { isRepeated = false }: { isRepeated?: boolean } = {},
): Promise<JobEnding | undefined> {
  const { jobs, nowMs } = deps;
  const { flow } = job;
  if (!flow?.plan) throw new Error(`The flow job ${job.id} has no plan.`);
  const plan = await findPlan(deps, flow.plan);
  if (!plan) return decideEnd(job, failedEnding({ name: "FlowDeleted", message: "The flow was deleted while the run waited." }));
  const { value } = plan;
  if (value.skip_expr) {
    const skips = await evaluateSkip(deps, job, plan, value.skip_expr);
    if (!skips.ok) {
      return decideEnd(job, failedEnding({ name: "ExpressionError", message: `skip_expr ${value.skip_expr}: ${skips.reason}` }));
    }
    if (skips.value) return decideEnd(job, { state: "skipped", resultJson: JSON.stringify("stopped early") });
  }
  if (value.modules.length === 0) return decideEnd(job, { state: "succeeded", resultJson: await loadValue(deps, job, job.args) });
  // The step that runs this flow may set its own cache.
  const cacheTtlS = job.cacheTtlS ?? value.cache_ttl;
  // A restarted run mixes the results of earlier steps, possibly of another version, with new ones, so it neither reads nor writes the cache.
  if (job.kind === "flow" && cacheTtlS && !flow.reusedSteps && !isRepeated) {
    job = { ...job, cacheTtlS };
    const key = await resolveFlowCacheKey(deps, job, value.cache_ignore_s3_path === true);
    job = { ...job, ...defined({ cacheKey: key }) };
    const cachedResult = await findCachedResult(deps, job);
    if (cachedResult) return { by: "earlierRun", job, cached: cachedResult };
  }
  // Repeated, because the process that recorded the job may have died before it held the earlier run.
  await holdEarlierRun(deps, job);
  await writeReusedSteps(deps, job);
  const { reusedSteps: _, ...begun } = flow;
  // From now on housekeeping checks the execution instead of the lease.
  const now = nowMs();
  const dueAtMs = flowDueMs(job, now);
  const started = await jobs.update(
    job.id,
    {
      flow: begun,
      ...cacheFields(job),
      ...(job.eraseAfterS === undefined ? {} : { erasesSteps: "all" as const }),
      leaseUntilMs: now + limits.flowCheckMs,
      dueAtMs,
    },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "nonce", eq: job.nonce },
      ],
    },
  );
  if (started) await startExecution(deps, started);
  return undefined;
}

/** Evaluates whether the whole flow is skipped. The reason of a failure contains no secrets. */
async function evaluateSkip(deps: StartFlowDeps, flow: RunningJob, plan: LoadedPlan, expression: string) {
  const secrets = new Set<string>();
  const flow_input = (await loadJson(deps, flow, flow.args)) as unknown;
  const flow_env = (await collectReferences([expression])).env ? await loadFlowEnvironment(deps, { flow, plan, secrets }) : null;
  const skips = await evaluateWithReads(deps, { flow, secrets }, { expression, names: { flow_input, flow_env }, as: "boolean" });
  return skips.ok ? skips : { ...skips, reason: String(createMasker(secrets)?.value(skips.reason) ?? skips.reason) };
}

const cacheFields = ({ cacheTtlS, cacheKey }: Job) => (cacheKey === undefined ? {} : { cacheTtlS, cacheKey });

/**
 * Returns the cache key of a flow's result, which includes the values to which the arguments refer. Returns `undefined` if such a value cannot be
 * read: the step that needs it fails.
 */
async function resolveFlowCacheKey(deps: StartFlowDeps, job: RunningJob, ignorePaths: boolean): Promise<string | undefined> {
  const storedArgs = (await loadJson(deps, job, job.args)) as Record<string, unknown>;
  try {
    const { value: resolvedArgs, from: references } = await resolveReferences(deps, findReaders(deps, job), job.workspace, storedArgs);
    return await resolveCacheKey(deps, job, resolvedArgs, { args: storedArgs, references, ignorePaths });
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
    return undefined;
  }
}

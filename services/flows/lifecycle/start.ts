import type { Functions } from "../../../aws/lambda/functions.ts";
import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import { isSvcError } from "../../../contract/errors.ts";
import { flowValueSchema } from "../../../contract/flow-value.ts";
import { limits } from "../../../contract/limits.ts";
import { collectReferences } from "../../../core/flows/names.ts";
import type { Job, RunningJob } from "../../../core/jobs/job.ts";
import { failure, flowLookMs } from "../../../core/jobs/lifecycle.ts";
import { keys } from "../../../core/objects/keys.ts";
import { maskerOf } from "../../../core/secrets/mask.ts";
import type { BuildVersionDeps } from "../../builds/build-version.ts";
import { cachedResult, keyWithFiles } from "../../jobs/cache/cache.ts";
import { endFromCache, endWith, type JustEnded } from "../../jobs/lifecycle/finish.ts";
import { waitForBuild } from "../../jobs/queue/build-waiters.ts";
import { jobPrefix, loadValue } from "../../jobs/values/values.ts";
import { readersOf } from "../../resources/readers.ts";
import { type ResolveDeps, resolve } from "../../resources/resolve.ts";
import { settleFlowBuild, withMachine } from "../definitions/build.ts";
import { flowVersionOf, type LoadedPlan, loadPlan } from "../definitions/load.ts";
import { planFlow } from "../definitions/plan.ts";
import { environmentOf, evaluateReading } from "../runtime/expressions/evaluator.ts";

export type StartFlowDeps = BuildVersionDeps &
  ResolveDeps & {
    executions: Pick<Executions, "start">;
    functions: Pick<Functions, "build" | "makeMachine">;
  };

/**
 * Starts the execution of a claimed flow job, or returns the job to the queue until its version is built. A flow that needs no execution
 * ends at once. Throws `flow.versionNotFound`.
 */
export async function startFlow(deps: StartFlowDeps, job: RunningJob): Promise<JustEnded | undefined> {
  const { objects, storage } = deps;
  const { workspace, flow = { n: 0 } } = job;
  if (flow.plan) return begin(deps, job);
  if (job.kind === "flowpreview") return startPreview(deps, job);
  const { version = 0 } = flow;
  const load = async () => flowVersionOf(await objects.get(keys.flowVersion(workspace, version)), version);
  const build = await settleFlowBuild(deps, await load());
  switch (build.state) {
    case "pending":
      return waitForBuild(deps, job, async () => (await load()).build.state === "pending");
    case "failed":
      return endWith(deps, job, failure({ name: "DependencyError", message: build.error }));
    case "ready": {
      await loadPlan({ storage }, build.plan);
      return begin(deps, { ...job, flow: { ...flow, plan: build.plan, ...(build.machine ? { machine: build.machine } : {}) } });
    }
  }
}

async function startPreview(deps: StartFlowDeps, job: RunningJob): Promise<JustEnded | undefined> {
  const { storage, functions } = deps;
  const { flow: sent } = JSON.parse(job.code ? await loadValue(deps, job, job.code) : "{}") as { flow: unknown };
  const built = await planFlow(deps, job, job.path ?? `${job.permissionedAs}/preview`, flowValueSchema.parse(sent));
  const planned = await withMachine(functions, job.workspace, job.path ?? "preview", built);
  if (!planned.ok) return endWith(deps, job, failure({ name: "DependencyError", message: planned.error }), planned.log);
  const plan = `${jobPrefix(job)}plan.json`;
  await storage.put(plan, JSON.stringify(planned.plan), "application/json");
  return begin(deps, { ...job, flow: { n: 0, ...job.flow, plan, ...(planned.machine ? { machine: planned.machine } : {}) } });
}

async function begin(deps: StartFlowDeps, job: RunningJob): Promise<JustEnded | undefined> {
  const { jobs, nowMs } = deps;
  const { flow } = job;
  if (!flow?.plan) throw new Error(`The flow job ${job.id} has no plan.`);
  const plan = await loadPlan(deps, flow.plan);
  const { value } = plan;
  if (value.skip_expr) {
    const skips = await skipsAll(deps, job, plan, value.skip_expr);
    if (!skips.ok) {
      return endWith(deps, job, failure({ name: "ExpressionError", message: `skip_expr ${value.skip_expr}: ${skips.reason}` }));
    }
    if (skips.value) return endWith(deps, job, { state: "skipped", resultJson: JSON.stringify("stopped early") });
  }
  if (value.modules.length === 0) return endWith(deps, job, { state: "succeeded", resultJson: await loadValue(deps, job, job.args) });
  // A step that runs another flow may have a cache of its own.
  const cacheTtlS = job.cacheTtlS ?? value.cache_ttl;
  if (job.kind === "flow" && cacheTtlS) {
    job = { ...job, cacheTtlS };
    const key = await keyOf(deps, job, value.cache_ignore_s3_path === true);
    job = { ...job, ...(key === undefined ? {} : { cacheKey: key }) };
    const known = await cachedResult(deps, job);
    if (known) return endFromCache(deps, job, known);
  }
  // From now on housekeeping asks the execution how it is, and no lease.
  const now = nowMs();
  const dueAtMs = flowLookMs(job, now);
  const started = await jobs.change(
    job.id,
    {
      flow,
      ...cacheFields(job),
      ...(job.eraseAfterS === undefined ? {} : { erasesSteps: "all" as const }),
      leaseUntilMs: now + limits.flowLookMs,
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

/** Whether a flow is not to run at all; its reason, where that cannot be said, shows no secret. */
async function skipsAll(deps: StartFlowDeps, flow: RunningJob, plan: LoadedPlan, expression: string) {
  const reading = { working: deps, flow, plan, secrets: new Set<string>() };
  const flow_input = JSON.parse(await loadValue(deps, flow, flow.args)) as unknown;
  const flow_env = collectReferences([expression]).env ? await environmentOf(reading) : null;
  const skips = await evaluateReading(reading, expression, { flow_input, flow_env });
  return skips.ok ? skips : { ...skips, reason: String(maskerOf(reading.secrets)?.value(skips.reason) ?? skips.reason) };
}

const cacheFields = ({ cacheTtlS, cacheKey }: Job) => (cacheKey === undefined ? {} : { cacheTtlS, cacheKey });

/**
 * What a flow's result is kept under: what its arguments refer to is a part of it, read as its steps would. What cannot be read now gives no key:
 * the step that needs it fails.
 */
async function keyOf(deps: StartFlowDeps, job: RunningJob, ignorePaths: boolean): Promise<string | undefined> {
  const sent = JSON.parse(await loadValue(deps, job, job.args)) as Record<string, unknown>;
  try {
    const { value: given, from: references } = await resolve(deps, readersOf(deps, job), job.workspace, sent);
    return await keyWithFiles(deps, job, given, { args: sent, references, ignorePaths });
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
    return undefined;
  }
}

export type StartExecutionDeps = Pick<StartFlowDeps, "executions" | "jobs" | "storage"> & { functions: Pick<Functions, "makeMachine"> };

/** Starts the execution that counts for a flow's job; one that is there is left alone. */
export async function startExecution(deps: StartExecutionDeps, job: Job): Promise<void> {
  const { executions, functions, jobs } = deps;
  const { id, workspace, flow } = job;
  if (!flow?.plan) throw new Error(`The flow job ${id} has no plan.`);
  const input = { w: workspace, j: id, n: flow.n, e: 0, at: "", o: "" };
  if (flow.machine) {
    const started = await executions.start({ machine: flow.machine, job: id, n: flow.n }, input);
    if (started === "started") return;
  }
  // Never made, or deleted because nothing ran it for long.
  const { value } = await loadPlan(deps, flow.plan);
  const made = await functions.makeMachine({ workspace, path: job.path ?? "preview", value });
  if (!("machine" in made)) throw new Error(made.refused);
  const { machine } = made;
  const changed = await jobs.change(
    id,
    { flow: { ...flow, machine } },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "flow.n", eq: flow.n },
      ],
    },
  );
  const started = changed && (await executions.start({ machine, job: id, n: flow.n }, input));
  if (started === "noMachine")
    throw new Error(`The state machine ${machine} of the flow job ${id} was deleted again. The message is retried.`);
}

import { SvcError } from "../../../../contract/errors.ts";
import { limits } from "../../../../contract/limits.ts";
import { PREPROCESSOR } from "../../../../core/flows/journal.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { flowVersionObject } from "../../../../core/flows/version.ts";
import { type Concurrency, resolveConcurrency } from "../../../../core/jobs/concurrency.ts";
import { buildArgsPreview } from "../../../../core/jobs/record/head-size.ts";
import { type EndedJob, hasEnded, type Job, type QueuedJob, type RunningJob } from "../../../../core/jobs/record/job.ts";
import { firstDueMs } from "../../../../core/jobs/record/lifecycle.ts";
import { escapeReferences } from "../../../../core/resources/references.ts";
import { findArgumentProblem, toValidationError } from "../../../execution/arguments/check-arguments.ts";
import { runJob } from "../../../execution/run-job.ts";
import { waitForEnd, waitForJobState } from "../../../jobs/read/streams/wait.ts";
import { loadJson, storeValue } from "../../../jobs/values/values.ts";
import type { Uses } from "../../../uses.ts";
import { parseFlow } from "../../definitions/load.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import { getResultRef, storeFlowValue } from "../flow-values.ts";
import { writeProgress } from "../journal.ts";
import { attemptId, type StepContext } from "../step-context.ts";
import { noteStepErasure } from "../step-jobs/erasure.ts";
import { requireOwnJob, StepJobCanceled } from "../step-jobs/own-job.ts";
import { findRunnable } from "../step-jobs/runnable.ts";
import { stepArguments, storeArguments } from "../step-jobs/step-arguments.ts";
import { cacheOf, ownerOf, stepJob } from "../step-jobs/step-job.ts";
import { failedWith, type StepResult } from "../step-result.ts";
import { parkJob } from "../waiting/parked-jobs.ts";

export type RunScriptDeps = Uses<
  | "followUps"
  | "executors"
  | "onJobEnded"
  | "gatedFlows"
  | "expressions"
  | "jobs"
  | "objects"
  | "storage"
  | "queue"
  | "dataKeys"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "worker"
>;

/** The step waits too long for a concurrency slot: its execution ends, and another one continues when the job has ended. */
class StepParked extends Error {
  override readonly name = "StepParked";
}

/** Runs a script step as a separate job. A repeated call finds the same job, because its id is derived from the position. */
export async function runScript(deps: RunScriptDeps, step: StepContext): Promise<StepState> {
  const result = await runAttempt(deps, step);
  const isInput = result.status === "succeeded" && step.module.id === PREPROCESSOR;
  const problem = isInput ? await replaceInput(deps, step, result) : undefined;
  return completeStep(deps, step, problem ? await failedWith(deps, step, toValidationError(problem)) : result);
}

/** Replaces the flow's input by the result of the preprocessor. Returns an error if it does not match the schema of a flow that checks its input. */
async function replaceInput(deps: RunScriptDeps, { flow }: StepContext, { result }: StepResult) {
  const value = (await loadJson(deps, { id: result.jobId }, result.location)) as unknown;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // A preprocessor returns untrusted texts, in which references do not count.
  const input = escapeReferences(isObject ? value : { value }) as Record<string, unknown>;
  const args = await storeValue(deps, flow, "args", JSON.stringify(input));
  const change = { args, ...buildArgsPreview(flow, args, input), preprocess: "done" as const };
  await deps.jobs.update(flow.id, change, { attr: "preprocess", eq: "wanted" });
  const { version } = flow.flow ?? {};
  const checked = version === undefined ? undefined : parseFlow(await deps.objects.get(flowVersionObject.key(flow.workspace, version)));
  return checked && findArgumentProblem(checked, input);
}

async function runAttempt(deps: RunScriptDeps, step: StepContext): Promise<StepResult> {
  const id = attemptId(step);
  const [args, runnable] = await Promise.all([stepArguments(deps, step), findRunnable(deps, step)]);
  if ("missing" in runnable) {
    // A job that was accepted before continues with the version that it names.
    const accepted = await deps.jobs.get(id);
    if (accepted) return resultOfJob(deps, step, await endOfAcceptedJob(deps, step, accepted));
    return failedWith(deps, step, { name: "NotFound", message: runnable.missing });
  }
  const argsJson = JSON.stringify(args);
  if (Buffer.byteLength(argsJson) > limits.resolvedBytes) {
    const message = `The arguments of the step ${step.module.id} are larger than ${limits.resolvedBytes / 1024 / 1024} MB.`;
    return failedWith(deps, step, { name: "ArgumentsTooLarge", message });
  }
  const { rule, ...version } = runnable;
  const owner = ownerOf(step, id);
  const withoutArgs = { ...stepJob(deps, step, owner, version), ...cacheOf(step, version, args) };
  const job = await storeArguments(deps, step, withoutArgs, args);
  await noteStepErasure(deps, step, id);
  if (rule) {
    const group = resolveConcurrency(rule, owner.workspace, runnable.path ?? `${job.parent}/${step.module.id}`, args);
    return resultOfJob(deps, step, await runLimited(deps, step, job, group));
  }
  const isNew = await deps.jobs.create(job, firstDueMs(deps.nowMs()));
  const ended = isNew ? await runJob(deps, job, { argsJson }) : undefined;
  return resultOfJob(deps, step, ended ?? (await waitForKnownJob(deps, step, id)));
}

/** A job that may have to wait for a concurrency slot goes through the queue, whose worker claims it together with its slot. */
async function runLimited(deps: RunScriptDeps, step: StepContext, job: RunningJob, concurrency: Concurrency): Promise<EndedJob> {
  const { nonce: _, leaseUntilMs: __, startedAtMs: ___, worker: ____, ...rest } = job;
  const queued: QueuedJob = { ...rest, state: "queued", attempt: 0, concurrency };
  // Recorded before the job exists, so that canceling the flow always finds the job.
  await writeProgress(deps, step, { queuedJob: job.id });
  if (await deps.jobs.create(queued, firstDueMs(queued.createdAtMs))) await deps.queue.sendMessage(queued);
  return endOfQueuedJob(deps, step, job.id);
}

/** Waits for a job that waits for a slot. Throws `StepParked` after a while. */
async function endOfQueuedJob(deps: RunScriptDeps, step: StepContext, id: string): Promise<EndedJob> {
  const { flow, state } = step;
  const hasBegun = ({ state: now }: Job) => now !== "queued";
  const begun = await waitForJobState(deps, id, deps.nowMs() + limits.slotWaitMs, hasBegun);
  if (begun) return waitForJob(deps, requireOwnJob(step, begun).id);
  await parkJob(deps, flow, id, state.execution);
  // Read after the record is written: the process that ends the job reads the record afterwards, so one of the two sees the other.
  const now = await deps.jobs.get(id);
  if (now && hasEnded(now)) return requireOwnJob(step, now);
  throw new StepParked(`Job ${id} of a step waits for a concurrency slot.`);
}

/** Waits for a job that an earlier call of this step has created. Throws `ForeignStepJob` for one that the flow did not create. */
async function endOfAcceptedJob(deps: RunScriptDeps, step: StepContext, accepted: Job): Promise<EndedJob> {
  const job = requireOwnJob(step, accepted);
  if (hasEnded(job)) return job;
  return job.state === "queued" ? endOfQueuedJob(deps, step, job.id) : waitForJob(deps, job.id);
}

/** Waits for a job that existed before this call. Throws `ForeignStepJob` for one that the flow did not create. */
async function waitForKnownJob(deps: RunScriptDeps, step: StepContext, id: string): Promise<EndedJob> {
  const existing = await deps.jobs.get(id);
  return existing ? endOfAcceptedJob(deps, step, existing) : waitForJob(deps, id);
}

/** Waits for a job that another worker runs, for example because an earlier call of this step began it. */
async function waitForJob(deps: RunScriptDeps, id: string): Promise<EndedJob> {
  const job = await waitForEnd(deps, id, deps.nowMs() + limits.stepWaitMs);
  // The job may wait for a runner for hours, so the state machine enters the step again.
  if (!job || !hasEnded(job)) throw new SvcError("service.busy", { service: `job ${id} of a step` });
  return job;
}

/** The step's result from the end of its job. Throws `StepJobCanceled`, because the flow must not handle a cancellation as a failure. */
export async function resultOfJob(deps: CompleteStepDeps, step: StepContext, job: EndedJob): Promise<StepResult> {
  const details = { job: job.id };
  if (job.state === "succeeded" || job.state === "skipped") return { status: "succeeded", result: getResultRef(job), details };
  if (job.state === "canceled" && job.cancel) throw new StepJobCanceled(job, job.cancel);
  const { error } = (await loadJson(deps, job, job.redactedResult ?? job.result)) as { error?: object };
  const result = await storeFlowValue(deps, step, { error: { ...error, step_id: step.module.id } });
  return { status: "failed", result, details };
}

import { actions } from "../../../../contract/access/actions.ts";
import { defined } from "../../../../contract/defined.ts";
import { limits } from "../../../../contract/limits.ts";
import { mayRequireApproval } from "../../../../core/flows/scopes.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { flowHeadObject } from "../../../../core/flows/version.ts";
import { hasEnded, type QueuedJob } from "../../../../core/jobs/record/job.ts";
import { firstDueMs, flowRemainingS } from "../../../../core/jobs/record/lifecycle.ts";
import { listHiddenArgsOfStep } from "../../../../core/jobs/record/preview.ts";
import { loadGate } from "../../../approvals/gates/change-gate.ts";
import type { Uses } from "../../../uses.ts";
import { parseFlow } from "../../definitions/load.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import type { EndStepDeps } from "../end-step.ts";
import { writeProgress } from "../journal.ts";
import { attemptId, type StepContext } from "../step-context.ts";
import { erasureDelayS, noteStepErasure } from "../step-jobs/erasure.ts";
import { requireOwnJob } from "../step-jobs/own-job.ts";
import { permissionOf } from "../step-jobs/runnable.ts";
import { stepArguments, storeArguments } from "../step-jobs/step-arguments.ts";
import { inheritedFields, ownerOf } from "../step-jobs/step-job.ts";
import { failedWith } from "../step-result.ts";
import { transitionTo } from "../transitions.ts";
import { resumeTask, storeTaskToken, toWaitingTask } from "../waiting/resume-parent-task.ts";
import { registerGateToken } from "./gate.ts";
import { resultOfJob } from "./script.ts";

/** Starts another flow as a separate job and waits for it, or completes the step with the end of that job. */
export async function runSubflow(deps: CompleteStepDeps & Uses<"queue">, step: StepContext): Promise<StepState> {
  const id = attemptId(step);
  const job = await deps.jobs.get(id);
  if (job) requireOwnJob(step, job);
  if (job && hasEnded(job)) return completeStep(deps, step, await resultOfJob(deps, step, job));
  const problem = job ? undefined : await startSubflow(deps, step, id);
  if (problem) return completeStep(deps, step, await failedWith(deps, step, problem));
  // A later execution waits with its own task, whose token may be lost as well.
  if (job && step.progress.awaitsToken?.execution !== step.state.execution) {
    await writeProgress(deps, step, { subflowJob: id, awaitsToken: awaitsToken(deps, step) });
  }
  return transitionTo(step, "wait");
}

const awaitsToken = ({ nowMs }: Uses<"nowMs">, { state }: StepContext) => ({ execution: state.execution, atMs: nowMs() });

/** Returns the problem if the flow does not exist, the calling job may not run it, or the flows are nested too deeply. */
async function startSubflow(
  deps: EndStepDeps & Uses<"queue">,
  step: StepContext,
  id: string,
): Promise<{ name: string; message: string } | undefined> {
  const { flow, module } = step;
  const args = await stepArguments(deps, step);
  const path = module.value.type === "flow" ? module.value.path : "";
  const [mayRun, head] = await Promise.all([
    permissionOf(deps, step, actions.runFlow.access),
    deps.objects.get(flowHeadObject.key(flow.workspace, path)),
  ]);
  const nested = parseFlow(head);
  if (!nested || nested.archived || !mayRun(path)) return { name: "NotFound", message: `There is no flow at ${path}.` };
  const depth = (flow.flow?.depth ?? 0) + 1;
  if (depth > limits.flowDepth) {
    const message = `Flows can be nested at most ${limits.flowDepth} levels deep, so the step ${module.id} did not start ${path}.`;
    return { name: "TooDeep", message };
  }
  const now = deps.nowMs();
  const owner = ownerOf(step, id);
  const erases = flow.erasesSteps === "all" || (erasureDelayS(step) ?? nested.deleteAfterS) !== undefined;
  const job: QueuedJob = await storeArguments(
    deps,
    step,
    {
      ...inheritedFields(deps, step),
      ...owner,
      state: "queued" as const,
      kind: "flow" as const,
      path,
      hash: nested.hash,
      flow: { version: nested.version, execution: 0, depth },
      tag: nested.tag,
      timeoutS: Math.min(nested.timeoutS ?? limits.flowTimeoutS, flowRemainingS(flow, now)),
      createdAtMs: now,
      ...defined({ hiddenArgs: listHiddenArgsOfStep(flow, nested.hiddenArgs) }),
      ...(module.cache_ttl ? { cacheTtlS: module.cache_ttl } : {}),
      // Its steps are erased with it.
      ...(erases ? { erasesSteps: "all" as const } : {}),
      attempt: 0,
      losses: 0,
      logChars: 0,
    },
    args,
  );
  await noteStepErasure(deps, step, id, nested.deleteAfterS);
  // Recorded before the job exists, so that canceling this flow always finds the job.
  await writeProgress(deps, step, { subflowJob: id, awaitsToken: awaitsToken(deps, step) });
  if (await deps.jobs.create(job, firstDueMs(now))) await deps.queue.sendMessage(job);
  else await requireCreated(deps, step, id);
  return undefined;
}

/** A job with this id already exists: an equal call of this step created it. Throws `ForeignStepJob` if the flow did not create it. */
async function requireCreated(deps: Uses<"jobs">, step: StepContext, id: string): Promise<void> {
  const existing = await deps.jobs.get(id);
  if (existing) requireOwnJob(step, existing);
}

/**
 * Stores the token of the task that waits for a gate or a nested flow, and resumes the task at once if there is no longer anything to wait for.
 */
export async function registerTaskToken(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "executions" | "nowMs">,
  step: StepContext,
  token: string,
): Promise<StepState> {
  const id = attemptId(step);
  const gate = mayRequireApproval(step.module) ? await loadGate(deps, id) : undefined;
  if (gate?.opened) {
    await registerGateToken(deps, step, gate, token);
    return step.state;
  }
  const task = toWaitingTask(token, step.state);
  await storeTaskToken(deps, { id, expiresAtMs: step.flow.expiresAtMs }, task);
  // Read after the token is stored: the process that ends the job reads the tokens afterwards, so one of the two sees the other.
  const job = await deps.jobs.get(id);
  if (!job || hasEnded(job)) await resumeTask(deps, task);
  return step.state;
}

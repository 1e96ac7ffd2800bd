import { actions } from "../../../../contract/actions.ts";
import { limits } from "../../../../contract/limits.ts";
import { asksPeople } from "../../../../core/flows/scopes.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { hasEnded, type QueuedJob } from "../../../../core/jobs/job.ts";
import { firstDueMs, flowLeftS } from "../../../../core/jobs/lifecycle.ts";
import { keys } from "../../../../core/objects/keys.ts";
import { gateOf } from "../../../approvals/gates/change-gate.ts";
import { flowOf } from "../../definitions/load.ts";
import { completeStep } from "../complete-step.ts";
import type { Evaluator } from "../expressions/evaluator.ts";
import { heldBy, resumeTask, tokenRef } from "../resume-parent-task.ts";
import { attemptId, goTo, type StepContext, writeProgress } from "../step-context.ts";
import { failureResult } from "../step-result.ts";
import { registerGateToken } from "./approval.ts";
import { argumentsFor, doneBy, erasedAfterS, keptArguments, noteErasureOf, ofFlow, readersMay } from "./script.ts";

/** Starts another flow as a job of its own, or says what came of it. */
export async function runSubflow(step: StepContext, expressions: Evaluator): Promise<StepState> {
  const { working } = step;
  const id = attemptId(step);
  const job = await working.jobs.get(id);
  if (job && hasEnded(job)) return completeStep(step, expressions, await doneBy(step, job));
  const wrong = job ? undefined : await begin(step, id, await argumentsFor(step, expressions));
  if (wrong) return completeStep(step, expressions, await failureResult(step, wrong));
  return goTo(step, "wait");
}

/** Answers what is wrong when there is no such flow, the caller's job may not run it, or too many are around it. */
async function begin(step: StepContext, id: string, args: Record<string, unknown>): Promise<{ name: string; message: string } | undefined> {
  const { flow, module, working } = step;
  const { jobs, objects, queue } = working;
  const path = module.value.type === "flow" ? module.value.path : "";
  const [mayRun, head] = await Promise.all([readersMay(step, actions.runFlow.access), objects.get(keys.flowHead(flow.workspace, path))]);
  const nested = flowOf(head);
  if (!nested || nested.archived || !mayRun(path)) return { name: "NotFound", message: `There is no flow at ${path}.` };
  const depth = (flow.flow?.depth ?? 0) + 1;
  if (depth > limits.flowDepth) {
    const message = `Flows can be nested at most ${limits.flowDepth} levels deep, so the step ${module.id} did not start ${path}.`;
    return { name: "TooDeep", message };
  }
  const afterS = erasedAfterS(step) ?? nested.deleteAfterS;
  const now = working.nowMs();
  const owner = { id, workspace: flow.workspace, expiresAtMs: flow.expiresAtMs };
  const job: QueuedJob = {
    ...ofFlow(step),
    ...owner,
    state: "queued",
    kind: "flow",
    path,
    hash: nested.hash,
    flow: { version: nested.version, n: 0, depth },
    tag: nested.tag,
    timeoutS: Math.min(nested.timeoutS ?? limits.flowTimeoutS, flowLeftS(flow, now)),
    createdAtMs: now,
    ...(await keptArguments(step, owner, args)),
    ...(module.cache_ttl ? { cacheTtlS: module.cache_ttl } : {}),
    // Erased with this flow, and so are its own steps.
    ...(flow.erasesSteps === "all" || afterS !== undefined ? { erasesSteps: "all" as const } : {}),
    attempt: 0,
    losses: 0,
    logChars: 0,
  };
  await noteErasureOf(step, id, nested.deleteAfterS);
  // Named first: who cancels this flow finds it.
  await writeProgress(step, { nested: id });
  if (await jobs.create(job, firstDueMs(now))) await queue.send(job);
  return undefined;
}

/** Keeps the token of the task that waits, and lets it go on when there is nothing to wait for any more. */
export async function registerTaskToken(step: StepContext, token: string): Promise<StepState> {
  const { jobs, executions } = step.working;
  const id = attemptId(step);
  const gate = asksPeople(step.module) ? await gateOf({ jobs }, id) : undefined;
  if (gate?.opened) {
    await registerGateToken(step, gate, token);
    return step.state;
  }
  await jobs.putChild({
    parent: id,
    ref: tokenRef(token),
    json: JSON.stringify(heldBy(token, step.state)),
    expiresAtS: Math.ceil(step.flow.expiresAtMs / 1000),
  });
  const job = await jobs.get(id);
  if (!job || hasEnded(job)) await resumeTask(executions, heldBy(token, step.state));
  return step.state;
}

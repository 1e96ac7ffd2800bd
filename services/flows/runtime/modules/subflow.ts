import { limits } from "../../../../contract/limits.ts";
import { asksPeople } from "../../../../core/flows/scopes.ts";
import type { FlowState } from "../../../../core/flows/step-call.ts";
import { hasEnded, type QueuedJob } from "../../../../core/jobs/job.ts";
import { firstDueMs, flowLeftS } from "../../../../core/jobs/lifecycle.ts";
import { keys } from "../../../../core/objects/keys.ts";
import { gateOf } from "../../../approvals/gates/change-gate.ts";
import { flowOf } from "../../definitions/load.ts";
import { decide } from "../complete-step.ts";
import type { Evaluator } from "../expressions/evaluator.ts";
import { goOnFrom, heldBy, tokenRef } from "../resume-parent-task.ts";
import { attemptId, goTo, type Here, writeProgress } from "../step-context.ts";
import { failed } from "../step-result.ts";
import { holdAtGate } from "./approval.ts";
import { argumentsFor, doneBy, erasedAfterS, keptArguments, noteErasureOf, ofFlow, readersMay } from "./script.ts";

/** Starts another flow as a job of its own, or says what came of it. */
export async function runNested(here: Here, evaluator: Evaluator): Promise<FlowState> {
  const { working } = here;
  const id = attemptId(here);
  const job = await working.jobs.get(id);
  if (job && hasEnded(job)) return decide(here, evaluator, await doneBy(here, job));
  const wrong = job ? undefined : await begin(here, id, await argumentsFor(here, evaluator));
  if (wrong) return decide(here, evaluator, await failed(here, wrong));
  return goTo(here, "wait");
}

/** Answers what is wrong when there is no such flow, the caller's job may not run it, or too many are around it. */
async function begin(here: Here, id: string, args: Record<string, unknown>): Promise<{ name: string; message: string } | undefined> {
  const { flow, module, working } = here;
  const { jobs, objects, queue } = working;
  const path = module.value.type === "flow" ? module.value.path : "";
  const [mayRun, head] = await Promise.all([readersMay(here, "jobs.run.flows"), objects.get(keys.flowHead(flow.workspace, path))]);
  const nested = flowOf(head);
  if (!nested || nested.archived || !mayRun(path)) return { name: "NotFound", message: `There is no flow at ${path}.` };
  const depth = (flow.flow?.depth ?? 0) + 1;
  if (depth > limits.flowDepth) {
    const message = `Flows may run one another ${limits.flowDepth} deep: ${path} is not started in the step ${module.id}.`;
    return { name: "TooDeep", message };
  }
  const afterS = erasedAfterS(here) ?? nested.deleteAfterS;
  const now = working.nowMs();
  const owner = { id, workspace: flow.workspace, expiresAtMs: flow.expiresAtMs };
  const job: QueuedJob = {
    ...ofFlow(here),
    ...owner,
    state: "queued",
    kind: "flow",
    path,
    hash: nested.hash,
    flow: { version: nested.version, n: 0, depth },
    tag: nested.tag,
    timeoutS: Math.min(nested.timeoutS ?? limits.flowTimeoutS, flowLeftS(flow, now)),
    createdAtMs: now,
    ...(await keptArguments(here, owner, args)),
    ...(module.cache_ttl ? { cacheTtlS: module.cache_ttl } : {}),
    // Erased with this flow, and so are its own steps.
    ...(flow.erasesSteps === "all" || afterS !== undefined ? { erasesSteps: "all" as const } : {}),
    attempt: 0,
    losses: 0,
    logChars: 0,
  };
  await noteErasureOf(here, id, nested.deleteAfterS);
  // Named first: who cancels this flow finds it.
  await writeProgress(here, { nested: id });
  if (await jobs.create(job, firstDueMs(now))) await queue.send(job);
  return undefined;
}

/** Keeps the token of the task that waits, and lets it go on when there is nothing to wait for any more. */
export async function holdFor(here: Here, token: string): Promise<FlowState> {
  const { jobs, executions } = here.working;
  const id = attemptId(here);
  const gate = asksPeople(here.module) ? await gateOf({ jobs }, id) : undefined;
  if (gate?.opened) {
    await holdAtGate(here, gate, token);
    return here.state;
  }
  await jobs.putChild({
    parent: id,
    ref: tokenRef(token),
    json: JSON.stringify(heldBy(token, here.state)),
    expiresAtS: Math.ceil(here.flow.expiresAtMs / 1000),
  });
  const job = await jobs.get(id);
  if (!job || hasEnded(job)) await goOnFrom(executions, heldBy(token, here.state));
  return here.state;
}

import { limits } from "../../contract/limits.ts";
import type { FlowState } from "../../core/flows/step-call.ts";
import { hasEnded, type QueuedJob } from "../../core/jobs/job.ts";
import { firstDueMs } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { may } from "../../core/permissions/may.ts";
import { readersOf } from "../jobs/work.ts";
import { decide, failed } from "./decide.ts";
import { type Evaluator, ExpressionError } from "./expressions.ts";
import { type Here, writeProgress } from "./here.ts";
import { flowOf } from "./load.ts";
import { argumentsOf, doneBy, keptArguments, ofFlow, waitBeforeRetry } from "./run-step.ts";
import { stepJobId } from "./step-job.ts";
import { tokenRef } from "./tell-parent.ts";

const idOf = ({ flow, module, scope, at, progress }: Here) => stepJobId(flow.id, module.id, scope.name, at, progress.failed?.length ?? 0);

/** Starts another flow as a job of its own, or says what came of it. */
export async function runNested(here: Here, evaluator: Evaluator): Promise<FlowState> {
  const waiting = waitBeforeRetry(here);
  if (waiting) return waiting;
  const { working } = here;
  const id = idOf(here);
  const job = await working.jobs.get(id);
  if (job && hasEnded(job)) return decide(here, evaluator, await doneBy(here, job));
  try {
    if (!job) {
      const wrong = await begin(here, id, await argumentsOf(here, evaluator));
      if (wrong) return await decide(here, evaluator, await failed(here, wrong));
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return decide(here, evaluator, await failed(here, error));
  }
  const { s: _, list: __, ...pointers } = here.state;
  return { ...pointers, at: here.at, o: "wait" };
}

/** Answers what is wrong when there is no such flow, the caller's job may not run it, or too many are around it. */
async function begin(here: Here, id: string, args: Record<string, unknown>): Promise<{ name: string; message: string } | undefined> {
  const { working, flow, module } = here;
  const { jobs, objects, queue } = working;
  const path = module.value.type === "flow" ? module.value.path : "";
  const [readers, head] = await Promise.all([readersOf(working, flow), objects.get(keys.flowHead(flow.workspace, path))]);
  const nested = flowOf(head);
  const mayRun = readers.every((reader) => reader !== undefined && may(reader, "jobs.run.flows", { workspace: flow.workspace, path }));
  if (!nested || nested.archived || !mayRun) return { name: "NotFound", message: `There is no flow at ${path}.` };
  const depth = (flow.flow?.depth ?? 0) + 1;
  if (depth > limits.flowDepth) {
    const message = `Flows may run one another ${limits.flowDepth} deep: ${path} is not started in the step ${module.id}.`;
    return { name: "TooDeep", message };
  }
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
    timeoutS: nested.timeoutS ?? limits.flowTimeoutS,
    createdAtMs: now,
    ...(await keptArguments(here, owner, args)),
    attempt: 0,
    losses: 0,
    logChars: 0,
  };
  // Named first: who cancels this flow finds it.
  await writeProgress(here, { nested: id });
  if (await jobs.create(job, firstDueMs(now))) await queue.send(job);
  return undefined;
}

/** Keeps the token of the task that waits, and lets it go on when there is nothing to wait for any more. */
export async function holdFor(here: Here, token: string): Promise<FlowState> {
  const { jobs, executions } = here.working;
  const id = idOf(here);
  await jobs.putChild({ parent: id, ref: tokenRef(token), json: token, expiresAtS: Math.ceil(here.flow.expiresAtMs / 1000) });
  const job = await jobs.get(id);
  if (!job || hasEnded(job)) await executions.resume(token);
  return here.state;
}

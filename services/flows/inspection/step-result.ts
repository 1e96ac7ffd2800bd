import { SvcError } from "../../../contract/errors.ts";
import { comparePaths, outcomeFormat, outcomeRef, parseJournalRef, progressFormat, progressRef } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import { type EndedJob, hasEnded, type Job, resultVisibleTo } from "../../../core/jobs/record/job.ts";
import type { ValueRef } from "../../../core/jobs/record/value-ref.ts";
import { loadGate } from "../../approvals/gates/change-gate.ts";
import { findJob, type JobAddress, type JobCaller } from "../../jobs/read/read.ts";
import { loadValue } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { computeStepJobId } from "../runtime/step-job-id.ts";

/**
 * Returns the JSON text of the result of a flow's step, from the step's outcome, so that a step without a job has one too. A step inside a
 * loop has the result of its last iteration that ended. Throws `job.notFound`, `job.erased` and `job.stepNotFinished`.
 */
export async function loadStepResult(
  deps: Uses<"jobs" | "storage">,
  caller: JobCaller,
  { step, ...address }: JobAddress & { step: string },
): Promise<string> {
  const flow = await findJob(deps, caller, address);
  const result = (await findOutcomeResult(deps, flow, step)) ?? (await findResultAtGate(deps, flow, step));
  if (!result) throw new SvcError("job.stepNotFinished", { id: flow.id, step });
  const owner = result.jobId === flow.id ? flow : await deps.jobs.get(result.jobId);
  if (!owner || [owner, flow].some((job) => hasEnded(job) && job.erased)) throw new SvcError("job.erased", { id: result.jobId });
  // A step's result is read with the rights on its flow.
  const { redacted: redactedResult } = result;
  const visible = { ...flow, result: result.location, redactedResult } as EndedJob;
  return loadValue(deps, { id: result.jobId }, resultVisibleTo(caller.actor, visible));
}

async function findOutcomeResult({ jobs }: Uses<"jobs">, flow: Job, step: string): Promise<ValueRef | undefined> {
  const pathOf = (ref: string) => parseJournalRef(ref)?.path ?? "";
  const items = await jobs.listChildren(flow.id, outcomeRef(step, ROOT, ""));
  const [last] = items.sort((a, b) => comparePaths(pathOf(b.ref), pathOf(a.ref)));
  return last && outcomeFormat.parse(last).result;
}

/** A step of the flow's own list that waits for approval has ended, but its outcome is recorded only with the decision. */
async function findResultAtGate({ jobs }: Uses<"jobs">, flow: Job, step: string): Promise<ValueRef | undefined> {
  const item = await jobs.getChild(flow.id, progressRef(step, ROOT, ""));
  const attempt = item ? (progressFormat.parse(item).failed?.length ?? 0) : 0;
  const { opened } = (await loadGate({ jobs }, computeStepJobId(flow.id, step, ROOT, "", attempt))) ?? {};
  return opened?.kind === "suspend" ? opened.result : undefined;
}

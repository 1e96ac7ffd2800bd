import * as z from "zod";
import { laterMs } from "../../../contract/utilities/iso-time.ts";
import { resultOfItem, withResult } from "../../../core/flows/journal.ts";
import { childPrefix, childRef } from "../../../core/jobs/lists/child-items.ts";
import { type EndedJob, hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { parseReadable, recordFormat } from "../../../core/records/record-format.ts";
import { eraseJob } from "../../jobs/erasure/erase-job.ts";
import type { JobDataOwner } from "../../jobs/erasure/job-data.ts";
import type { Uses } from "../../uses.ts";

/**
 * The time at which the content of a step's job is erased, in seconds after the end of its flow; if absent, it is erased together with the flow.
 */
const erasureNoteFormat = recordFormat({ schema: z.object({ afterS: z.number().optional() }), version: 1 });

/** Erases the jobs of a flow's steps with the flow, or earlier if the flow requests it. */
export const flowJobData: JobDataOwner = { erase: eraseAllSteps, eraseDue: eraseDueSteps };

/**
 * Records, before a step's job begins, that its content is erased `afterS` seconds after the end of its flow. Without `afterS` it is erased
 * only together with the flow.
 */
export async function scheduleStepErasure({ jobs }: Uses<"jobs">, flow: Job, step: string, afterS: number | undefined): Promise<void> {
  const json = erasureNoteFormat.toJson(afterS === undefined ? {} : { afterS });
  await jobs.putChild({ parent: flow.id, ref: childRef("erasure", step), json, expiresAtS: Math.ceil(flow.expiresAtMs / 1000) });
}

async function eraseAllSteps(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, { id }: EndedJob): Promise<void> {
  for (const { ref } of await deps.jobs.listChildren(id, childPrefix.erasure))
    await eraseStep(deps, ref.slice(childPrefix.erasure.length), 0);
}

async function eraseDueSteps(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, flow: EndedJob): Promise<number> {
  if (flow.erasesSteps === undefined) return Number.POSITIVE_INFINITY;
  const { jobs, nowMs } = deps;
  const notes = parseReadable(await jobs.listChildren(flow.id, childPrefix.erasure), erasureNoteFormat.parse);
  const noted = notes.map(([{ ref }, { afterS }]) => {
    return {
      ref,
      id: ref.slice(childPrefix.erasure.length),
      afterS,
      atMs: afterS === undefined ? Number.POSITIVE_INFINITY : laterMs(flow.endedAtMs, afterS),
    };
  });
  const due = noted.filter(({ atMs }) => atMs <= nowMs());
  for (const { id, afterS } of due) await eraseStep(deps, id, afterS ?? 0);
  if (due.length > 0) await eraseJournalResults(deps, flow, new Set(due.map(({ id }) => id)));
  for (const { ref } of due) await jobs.deleteItem(flow.id, ref);
  return Math.min(...noted.filter(({ atMs }) => atMs > nowMs()).map(({ atMs }) => atMs));
}

/** A step that still runs although its flow has ended is erased after its own end. */
async function eraseStep(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, id: string, afterS: number): Promise<void> {
  const { jobs } = deps;
  const job = await jobs.get(id);
  if (!job) return;
  if (hasEnded(job)) await eraseJob(deps, job);
  else if (!(await jobs.update(id, { eraseAfterS: afterS }, { attr: "state", eq: job.state }))) await eraseStep(deps, id, afterS);
}

/** The flow's journal also contains small results, including those of later steps that returned them unchanged. */
async function eraseJournalResults({ jobs }: Uses<"jobs">, flow: EndedJob, ids: ReadonlySet<string>): Promise<void> {
  const location = { in: "head" as const, json: "null" };
  for (const item of await jobs.listChildren(flow.id, "")) {
    const { jobId = "" } = resultOfItem(item) ?? {};
    if (ids.has(jobId)) await jobs.putChild({ ...item, json: withResult(item, { jobId, location }) });
  }
  if (flow.earlyReturn && ids.has(flow.earlyReturn.jobId))
    await jobs.update(flow.id, { earlyReturn: jobs.removed }, { attr: "state", eq: flow.state });
}

import * as z from "zod";
import { childName, childPrefix, childRef } from "../../../../core/jobs/lists/child-items.ts";
import { hasEnded, type Job, type RunningJob } from "../../../../core/jobs/record/job.ts";
import { parseReadable, recordFormat } from "../../../../core/records/record-format.ts";
import type { Uses } from "../../../uses.ts";

/** The execution that ends, or has ended, because a step's job waits for a concurrency slot. */
const parkedNoteFormat = recordFormat({ schema: z.object({ execution: z.number() }), version: 1 });

/** Records that an execution does not wait for a step's job. The caller must read the job afterwards, because it may have ended. */
export async function parkJob({ jobs }: Uses<"jobs">, flow: RunningJob, id: string, execution: number): Promise<void> {
  const expiresAtS = Math.ceil(flow.expiresAtMs / 1000);
  await jobs.putChild({ parent: flow.id, ref: childRef("parkedJob", id), json: parkedNoteFormat.toJson({ execution }), expiresAtS });
}

/** Returns the ids of the jobs for which a flow's current execution did not wait. */
export async function listParkedJobs({ jobs }: Uses<"jobs">, flow: Job): Promise<string[]> {
  const notes = await jobs.listChildren(flow.id, childPrefix.parkedJob);
  return parseReadable(notes, parkedNoteFormat.parse).flatMap(([{ ref }, { execution }]) =>
    execution === flow.flow?.execution ? (childName("parkedJob", ref) ?? []) : [],
  );
}

/** Returns whether a flow without an execution waits for concurrency slots. `over`: a job for which it waited has ended. */
export async function getParkedState(deps: Uses<"jobs">, flow: Job): Promise<"waits" | "over" | "no"> {
  const ids = await listParkedJobs(deps, flow);
  if (ids.length === 0) return "no";
  const jobs = await deps.jobs.batchGet(ids);
  return jobs.length === ids.length && !jobs.some(hasEnded) ? "waits" : "over";
}

/** Returns the flow that must continue because this job has ended. Throws `UnreadableRecordError`. */
export async function findParkedFlow({ jobs }: Uses<"jobs">, { id, parent, step }: Job): Promise<RunningJob | undefined> {
  if (!step || parent === undefined) return undefined;
  const note = await jobs.getChild(parent, childRef("parkedJob", id));
  if (!note) return undefined;
  const flow = await jobs.get(parent);
  const { execution } = parkedNoteFormat.parse(note);
  return flow?.state === "running" && flow.flow?.execution === execution ? flow : undefined;
}

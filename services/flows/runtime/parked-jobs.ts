import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import { hasEnded, type Job, type RunningJob } from "../../../core/jobs/job.ts";

/** Under these names a flow's job keeps which jobs of its steps wait for a slot, and which execution has ended, or will, because of that. */
const PARKED = "p#";

interface ParkedJobDeps {
  jobs: JobTable;
}
interface Note {
  n: number;
}

/** Notes that an execution does not wait for a step's job. Whether that has ended is looked at afterwards. */
export async function parkJob({ jobs }: ParkedJobDeps, flow: RunningJob, id: string, n: number): Promise<void> {
  const note: Note = { n };
  await jobs.putChild({
    parent: flow.id,
    ref: `${PARKED}${id}`,
    json: JSON.stringify(note),
    expiresAtS: Math.ceil(flow.expiresAtMs / 1000),
  });
}

/** The jobs that a flow's newest execution has not waited for. */
export async function parkedJobs({ jobs }: ParkedJobDeps, flow: Job): Promise<string[]> {
  const notes = await jobs.children(flow.id, PARKED);
  return notes.flatMap(({ ref, json = "{}" }) => ((JSON.parse(json) as Note).n === flow.flow?.n ? [ref.slice(PARKED.length)] : []));
}

/** Whether a flow whose execution has ended waits for slots, or has waited for what has ended since. */
export async function parked(deps: ParkedJobDeps, flow: Job): Promise<"waits" | "over" | "no"> {
  const ids = await parkedJobs(deps, flow);
  if (ids.length === 0) return "no";
  const jobs = await deps.jobs.getMany(ids);
  return jobs.length === ids.length && !jobs.some(hasEnded) ? "waits" : "over";
}

/** The flow that must be woken because this job has ended. */
export async function parkedFor({ jobs }: ParkedJobDeps, { id, parent, step }: Job): Promise<RunningJob | undefined> {
  if (!step || parent === undefined) return undefined;
  const note = await jobs.getChild(parent, `${PARKED}${id}`);
  const flow = note?.json === undefined ? undefined : await jobs.get(parent);
  if (flow?.state !== "running" || flow.flow?.n !== (JSON.parse(note?.json ?? "{}") as Note).n) return undefined;
  return flow;
}

import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { Job } from "../../../core/jobs/job.ts";

/** Records a running job's progress in percent unless it is already higher, and returns the recorded progress. */
export async function setProgress({ jobs }: { jobs: JobTable }, job: Job, percent: number): Promise<number> {
  const changed = await jobs.change(
    job.id,
    { progress: percent },
    {
      and: [
        { attr: "state", eq: "running" },
        {
          or: [
            { attr: "progress", exists: false },
            { attr: "progress", lt: percent },
          ],
        },
      ],
    },
  );
  return (changed ?? job).progress ?? 0;
}

import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { Job } from "../../../core/jobs/job.ts";

/** Notes how far a running job is, unless it has been further; answers how far that is. */
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

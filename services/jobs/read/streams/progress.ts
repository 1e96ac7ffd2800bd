import type { Job } from "../../../../core/jobs/record/job.ts";
import type { Uses } from "../../../uses.ts";

/**
 * Records a running job's progress in percent unless it is already higher, and returns the recorded progress, 0 if there is none. Without
 * `percent`, nothing is recorded.
 */
export async function setProgress({ jobs }: Uses<"jobs">, job: Job, percent: number | undefined): Promise<number> {
  if (percent === undefined) return job.progress ?? 0;
  const changed = await jobs.update(
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

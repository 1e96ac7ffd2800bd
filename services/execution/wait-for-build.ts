import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { Queue } from "../../aws/sqs/queue.ts";
import type { RunningJob } from "../../core/jobs/job.ts";
import { waitersOf } from "../builds/build-version.ts";
import { release } from "../jobs/lifecycle/claim.ts";

/**
 * Returns a job to the queue until its version is built. It registers the job first and looks again afterwards: the process that records
 * the build looks for waiting jobs afterwards, so one of the two sees the other.
 */
export async function waitForBuild(
  { jobs, queue }: { jobs: JobTable; queue: Queue },
  job: RunningJob,
  isPending: () => Promise<boolean>,
): Promise<undefined> {
  const { hash = "", workspace } = job;
  const parent = waitersOf(workspace, hash);
  if (!(await release({ jobs }, job))) return undefined;
  await jobs.putChild({ parent, ref: job.id, expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
  if (!(await isPending())) {
    await queue.send(job);
    await jobs.deleteItem(parent, job.id);
  }
  return undefined;
}

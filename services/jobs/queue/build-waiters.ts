import type { RunningJob } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { releaseJob } from "../lifecycle/claim.ts";

/** The parent key of the items that name the jobs which wait for the build of a version. */
const waitersKey = (workspace: string, hash: string) => `wait#${workspace}#${hash}`;

/**
 * Returns a job to the queue until its version is built. The job is registered first, and the build is checked again afterwards. The
 * process that records the build reads registered jobs afterwards, so one of the two sees the other.
 */
export async function waitForBuild(
  { jobs, queue }: Uses<"jobs" | "queue">,
  job: RunningJob,
  isPending: () => Promise<boolean>,
): Promise<undefined> {
  const { hash = "", workspace } = job;
  const parent = waitersKey(workspace, hash);
  if (!(await releaseJob({ jobs }, job))) return undefined;
  await jobs.putChild({ parent, ref: job.id, expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
  if (!(await isPending())) {
    await queue.sendMessage(job);
    await jobs.deleteItem(parent, job.id);
  }
  return undefined;
}

/** Sends every job that waits for the build of a version. A job that registers later finds the recorded build itself. */
export async function sendBuildWaiters({ jobs, queue }: Uses<"jobs" | "queue">, workspace: string, hash: string): Promise<void> {
  const parent = waitersKey(workspace, hash);
  const refs = (await jobs.listChildren(parent, "")).map(({ ref }) => ref);
  for (const job of await jobs.batchGet(refs)) await queue.sendMessage(job);
  for (const ref of refs) await jobs.deleteItem(parent, ref);
}

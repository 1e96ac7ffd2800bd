import { type EndedJob, hasEnded } from "../../core/jobs/job.ts";
import { jobPrefix, type Keeping } from "./places.ts";

type Erasing = Keeping & { nowMs: () => number };

/** When housekeeping looks whether an erasure has come to its end. */
const ERASE_AGAIN_MS = 60_000;

/**
 * Erases arguments, output, code and result of an ended job; its record stays. Repeating it changes nothing, and should it die in the
 * middle, housekeeping repeats it.
 */
export async function eraseJob(keeping: Erasing, job: EndedJob): Promise<EndedJob> {
  const { jobs, storage, nowMs } = keeping;
  const again = jobs.dueAt(job.id, nowMs() + ERASE_AGAIN_MS);
  const erased = await jobs.change(
    job.id,
    {
      erased: true,
      args: { in: "head", json: "{}" },
      result: { in: "head", json: "null" },
      code: jobs.removed,
      shown: jobs.removed,
      argsShown: jobs.removed,
      early: jobs.removed,
      logChars: 0,
      ...again,
    },
    { attr: "state", eq: job.state },
  );
  for (const child of await jobs.children(job.id, "")) if (child.ref !== "job") await jobs.deleteItem(job.id, child.ref);
  await storage.removePrefix(jobPrefix(job));
  const { duePartition, dueAtMs } = jobs.cleared;
  await jobs.change(job.id, { duePartition, dueAtMs, eraseAtMs: jobs.removed }, { attr: "state", eq: job.state });
  return erased && hasEnded(erased) ? erased : job;
}

/** Erases what a synchronous run left, as its script asks: at once, or in `afterS` seconds by housekeeping. */
export async function eraseAfterReply(keeping: Erasing, id: string, afterS: number): Promise<void> {
  const { jobs, nowMs } = keeping;
  const job = await jobs.get(id);
  if (!job || !hasEnded(job)) return;
  if (afterS <= 0) {
    await eraseJob(keeping, job);
    return;
  }
  const eraseAtMs = nowMs() + afterS * 1000;
  await jobs.change(id, { eraseAtMs, ...jobs.dueAt(id, eraseAtMs) }, { attr: "state", eq: job.state });
}

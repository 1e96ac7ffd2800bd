import { type EndedJob, hasEnded } from "../../../core/jobs/job.ts";
import { nextStopMs } from "../lifecycle/stopping.ts";
import { jobPrefix } from "../values/values.ts";
import type { EraseJobDeps } from "./job-data.ts";

/** After this time housekeeping checks whether an erasure was completed. */
const ERASE_AGAIN_MS = 60_000;

/**
 * Erases arguments, output, code and result of an ended job; its record stays. Repeating it changes nothing. If the process dies in
 * between, housekeeping repeats it.
 */
export async function eraseJob(deps: EraseJobDeps, job: EndedJob): Promise<EndedJob> {
  const { jobs, storage, nowMs, jobData } = deps;
  const again = jobs.dueAt(job.id, nowMs() + ERASE_AGAIN_MS);
  const erased = await jobs.update(
    job.id,
    {
      erased: true,
      args: { in: "head", json: "{}" },
      result: { in: "head", json: "null" },
      code: jobs.removed,
      redactedResult: jobs.removed,
      redactedArgs: jobs.removed,
      earlyReturn: jobs.removed,
      logChars: 0,
      ...again,
    },
    { attr: "state", eq: job.state },
  );
  for (const owner of jobData) await owner.erase?.(deps, job);
  for (const child of await jobs.listChildren(job.id, "")) if (child.ref !== "job") await jobs.deleteItem(job.id, child.ref);
  await storage.deletePrefix(jobPrefix(job));
  const result = erased && hasEnded(erased) ? erased : job;
  const due = result.stopping ? jobs.dueAt(job.id, nextStopMs(nowMs())) : jobs.noLongerDue(job, job.state);
  await jobs.update(job.id, { ...due, eraseAtMs: jobs.removed }, { attr: "state", eq: job.state });
  return result;
}

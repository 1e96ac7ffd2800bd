import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import { type EndedJob, hasEnded } from "../../../core/jobs/record/job.ts";
import { objectPrefix } from "../../../core/jobs/record/retention.ts";
import type { Uses } from "../../uses.ts";
import { nextCheckMs } from "../lifecycle/next-check.ts";

/** After this time housekeeping checks whether an erasure was completed. */
const ERASE_AGAIN_MS = 60_000;

/** The prefixes of the names of a job's objects in S3. */
const STORED_PREFIXES = [...Object.values(childPrefix), "result#"];

/**
 * Erases arguments, output, code and result of an ended job; its record remains, and so does a gate that its flow still needs. Idempotent. If the
 * process dies in between, housekeeping repeats it.
 */
export async function eraseJob(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, job: EndedJob): Promise<EndedJob> {
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
      hiddenArgs: jobs.removed,
      argsPreview: jobs.removed,
      resultPreview: jobs.removed,
      earlyReturn: jobs.removed,
      logChars: 0,
      ...again,
    },
    { attr: "state", eq: job.state },
  );
  for (const owner of jobData) await owner.erase?.(deps, job);
  const retained = (await Promise.all(jobData.map(async (owner) => (await owner.listRetained?.(deps, job)) ?? []))).flat();
  const isRetained = (ref: string) => ref === "job" || retained.some((prefix) => ref.startsWith(prefix));
  for (const { ref } of await jobs.listChildren(job.id, "")) if (!isRetained(ref)) await jobs.deleteItem(job.id, ref);
  for (const prefix of retained.length === 0 ? [""] : STORED_PREFIXES) {
    if (!isRetained(prefix)) await storage.deletePrefix(`${objectPrefix(job)}${prefix}`);
  }
  const result = erased && hasEnded(erased) ? erased : job;
  const checkAtMs = nextCheckMs(result, nowMs());
  const due = Number.isFinite(checkAtMs) ? jobs.dueAt(job.id, checkAtMs) : jobs.noLongerDue(job, job.state);
  await jobs.update(job.id, { ...due, eraseAtMs: jobs.removed }, { attr: "state", eq: job.state });
  return result;
}

import { limits } from "../../contract/limits.ts";
import { type EndedJob, hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../core/jobs/record/job.ts";
import { extractError } from "../../core/outcome-handlers/handler.ts";
import { escapeReferences } from "../../core/resources/references.ts";
import { loadJson } from "../jobs/values/values.ts";
import type { Uses } from "../uses.ts";

/** Returns the result of a job for people, without secrets and references. */
export async function loadSuccess(deps: Uses<"jobs" | "storage">, job: EndedJob): Promise<unknown> {
  return escapeReferences(await loadResult(deps, job));
}

/** Returns the error of a failed job, as `loadSuccess` returns a result. The job may have expired. */
export async function loadError(deps: Uses<"jobs" | "storage">, job: Job | undefined): Promise<unknown> {
  if (!job || !hasEnded(job)) return notGiven("The job of this failure has expired.").error;
  return escapeReferences(extractError(await loadResult(deps, job)));
}

const notGiven = (message: string) => ({ error: { name: "NotGiven", message } });

async function loadResult(deps: Uses<"jobs" | "storage">, job: EndedJob): Promise<unknown> {
  if (job.erased) return notGiven(`The result of job ${job.id} was erased.`);
  const location = resultVisibleTo(PEOPLE, job);
  if (location.in === "s3" && (location.bytes ?? 0) > limits.handlerResultBytes) {
    return notGiven(`The result has ${location.bytes} bytes, too many for a handler. Job ${job.id} contains it.`);
  }
  try {
    return await loadJson(deps, job, location);
  } catch (error) {
    // The result may be erased while it is read.
    const now = await deps.jobs.get(job.id);
    if (now && hasEnded(now) && !now.erased) throw error;
    return notGiven(`The result of job ${job.id} was erased.`);
  }
}

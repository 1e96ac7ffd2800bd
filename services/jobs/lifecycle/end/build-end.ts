import type { HeadChange, HeadCondition } from "../../../../aws/dynamodb/job-items.ts";
import { defined } from "../../../../contract/defined.ts";
import { laterMs } from "../../../../contract/utilities/iso-time.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import { expiryAfterEndMs } from "../../../../core/jobs/record/retention.ts";
import type { JobStore } from "../../../../ports/job-store.ts";
import { nextCheckMs } from "../next-check.ts";
import type { StagedEnd } from "./staged-end.ts";

/** Builds the change that ends a job, on the condition that the job has not changed since it was read. */
export function buildEnd(
  jobs: JobStore,
  job: Job,
  { state, result, fields, condition }: StagedEnd,
  endedAtMs: number,
): { change: HeadChange; condition: HeadCondition } {
  // The caller may die before it erases the run, or may have stopped waiting.
  const eraseAtMs = job.eraseAfterS === undefined ? undefined : laterMs(endedAtMs, job.eraseAfterS);
  // Housekeeping checks which steps are due for erasure, whether everything that ran for a flow was stopped, and whether handlers were started.
  const checkAtMs = Math.min(
    (job.erasesSteps === undefined ? eraseAtMs : endedAtMs) ?? Number.POSITIVE_INFINITY,
    nextCheckMs({ stopping: fields.stopping, followUp: fields.followUp, endedAtMs }, endedAtMs),
  );
  const change: HeadChange = {
    ...jobs.cleared,
    ...defined({ eraseAtMs }),
    ...(Number.isFinite(checkAtMs) ? jobs.dueAt(job.id, checkAtMs) : jobs.noLongerDue(job, state)),
    ...fields,
    state,
    result,
    endedAtMs,
    expiresAtS: Math.ceil(expiryAfterEndMs(job, endedAtMs) / 1000),
  };
  const conditions: HeadCondition[] = [{ attr: "state", eq: job.state }];
  if (job.state === "running") conditions.push({ attr: "nonce", eq: job.nonce });
  if (condition) conditions.push(condition);
  return { change, condition: { and: conditions } };
}

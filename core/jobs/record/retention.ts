import type { JobKind } from "../../../contract/job-kind.ts";
import { limits } from "../../../contract/limits.ts";
import { LONG_LIFE_MS, objectFolders, type Retention, SHORT_LIFE_MS } from "../../../contract/retention.ts";
import { isFlowJob } from "./job.ts";

/** A job that has not started by this age becomes `long`. The rest of the day is for its run. */
const LATEST_START_MS = SHORT_LIFE_MS / 2;
interface NewJobTimes {
  createdAtMs: number;
  scheduledForMs?: number | undefined;
}

const startMs = ({ createdAtMs, scheduledForMs = 0 }: NewJobTimes) => Math.max(createdAtMs, scheduledForMs);

/** Returns the retention of a new job. A step has the retention of its flow instead. */
export function chooseRetention(job: NewJobTimes & { kind: JobKind }): Retention {
  // A restart of a flow uses the results of the earlier run, however short both are.
  if (isFlowJob(job)) return "long";
  return startMs(job) - job.createdAtMs <= LATEST_START_MS ? "short" : "long";
}

/** Returns whether a queued job has waited too long for a `short` one. */
export const waitsTooLong = (job: { retention: Retention; createdAtMs: number; step?: unknown }, nowMs: number): boolean =>
  job.retention === "short" && job.step === undefined && nowMs - job.createdAtMs >= LATEST_START_MS;

/** Returns the expiry of a job that has not ended (epoch ms), which its end never exceeds. */
export function expiryBeforeEndMs(retention: Retention, job: NewJobTimes): number {
  return limits.jobRetentionMs + (retention === "short" ? job.createdAtMs + SHORT_LIFE_MS : startMs(job) + LONG_LIFE_MS);
}

/** Returns the expiry of a job that has ended (epoch ms). Steps have the expiry of their flow, because later steps read their results. */
export function expiryAfterEndMs(
  job: { step?: unknown; expiresAtMs: number; flow?: unknown; retention: Retention },
  endedAtMs: number,
): number {
  // The items of a flow that an earlier release recorded expire with its record, at the time set then.
  if (job.step !== undefined || (job.flow !== undefined && job.retention === "short")) return job.expiresAtMs;
  return endedAtMs + limits.jobRetentionMs;
}

/** The job or gate to which stored data belongs. */
export interface DataOwner {
  id: string;
  workspace: string;
  retention: Retention;
}

/** Returns the prefix of everything that a job stores in S3. */
export const objectPrefix = ({ id, workspace, retention }: DataOwner): string => `${objectFolders[retention]}/${workspace}/${id}/`;

/** Returns the S3 key of a result that is too large for the runner's reply. */
export const resultObjectKey = (job: DataOwner, attempt: number): string => `${objectPrefix(job)}result#${attempt}.json`;

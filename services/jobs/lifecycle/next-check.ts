import { nextFollowUpMs } from "./follow-ups.ts";
import { nextStopMs } from "./stopping.ts";

/** The fields of an ended job that record possibly incomplete work. */
interface EndRepairs {
  stopping?: unknown;
  followUp?: unknown;
  endedAtMs: number;
}

/**
 * Returns the time at which housekeeping checks an ended job again, because work for it may not have stopped, or its follow-ups may not have
 * started (epoch ms). Infinity if neither is the case.
 */
export function nextCheckMs(job: EndRepairs, nowMs: number): number {
  return Math.min(
    job.stopping ? nextStopMs(nowMs) : Number.POSITIVE_INFINITY,
    job.followUp ? nextFollowUpMs(job, nowMs) : Number.POSITIVE_INFINITY,
  );
}

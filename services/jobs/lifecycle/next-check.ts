import { nextFollowUpMs } from "./follow-ups.ts";
import { nextStopMs } from "./stopping.ts";

/** The fields of an ended job that record what may still be missing. */
interface EndRepairs {
  stopping?: unknown;
  followUp?: unknown;
  endedAtMs: number;
}

/**
 * Returns when housekeeping checks an ended job again, because something that ran for it may not have stopped, or something that follows it may not
 * have started (epoch ms). Infinity if neither is the case.
 */
export function nextCheckMs(job: EndRepairs, nowMs: number): number {
  return Math.min(
    job.stopping ? nextStopMs(nowMs) : Number.POSITIVE_INFINITY,
    job.followUp ? nextFollowUpMs(job, nowMs) : Number.POSITIVE_INFINITY,
  );
}

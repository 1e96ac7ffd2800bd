import type { Job } from "../../../core/jobs/job.ts";

/** After this time housekeeping checks whether everything that ran for an ended flow was stopped. */
const STOP_AGAIN_MS = 60_000;

/** Returns the time (epoch ms) at which housekeeping stops what runs for an ended flow again. */
export const nextStopMs = (nowMs: number): number => nowMs + STOP_AGAIN_MS;

/**
 * Returns the field that records, together with the end of a flow's job, that its execution and the flows inside are to be stopped: the caller
 * may die before it has stopped them, and housekeeping then does. Empty for a job that runs no flow.
 */
export const buildStopping = ({ flow }: Pick<Job, "flow">, stopping: { by: string; reason: string }) => (flow ? { stopping } : {});

import type { Job } from "../../../core/jobs/record/job.ts";

/** After this time housekeeping checks whether everything that ran for an ended flow was stopped. */
const STOP_AGAIN_MS = 60_000;

/** Returns the time (epoch ms) at which housekeeping repeats the stop of everything that runs for an ended flow. */
export const nextStopMs = (nowMs: number): number => nowMs + STOP_AGAIN_MS;

/**
 * Returns the field that records, together with the end of a flow's job, that its execution and nested flows must be stopped: if the caller dies
 * before it has stopped them, housekeeping does. Empty for a job that runs no flow.
 */
export const buildStopping = ({ flow }: Pick<Job, "flow">, stopping: { by: string; reason: string }) => (flow ? { stopping } : {});

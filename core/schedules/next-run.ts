import { v5 as uuidv5 } from "uuid";
import * as z from "zod";
import type { Job } from "../jobs/record/job.ts";

/** The next run of an enabled schedule. */
export const nextRunSchema = z.object({
  /** The id of the schedule. A later schedule at the same path has another one. */
  schedule: z.string(),
  /** The tick of the next run (epoch ms). */
  tickMs: z.number(),
  /** The queued job of the tick, unless the tick is too far in the future. For a flow without overlap: the run that must end first. */
  job: z.string().optional(),
  /** The last job that started. */
  last: z.string().optional(),
  /** The time of the next housekeeping check (epoch ms). */
  dueAtMs: z.number(),
});
export type NextRun = z.infer<typeof nextRunSchema>;

/** The value of the job field `claimer` for the runs of schedules. */
export const SCHEDULE_CLAIMER = "schedule";

const PREFIX = "schedule#";
/** Returns the key of a schedule's next run in the table of jobs. */
export const toNextRunId = (workspace: string, path: string): string => `${PREFIX}${workspace}#${path}`;
/** Returns the schedule of a key, or `undefined` for any other key. */
export function parseNextRunId(id: string): { workspace: string; path: string } | undefined {
  if (!id.startsWith(PREFIX)) return undefined;
  const [, workspace = "", path = ""] = id.split("#");
  return { workspace, path };
}

/** Returns the id of the job of a tick. It is derived, so that repeated computations return the same id. */
export const toRunId = (schedule: string, tickMs: number): string => uuidv5(String(tickMs), schedule);
/** Returns the id of the job that decides whether a run is skipped. */
export const toSkipCheckId = (runId: string): string => uuidv5("dynamic_skip", runId);

/**
 * Returns whether the next run of a schedule must be created when a job ends: it ends before it has started, for example because it was canceled,
 * or the schedule waits for its end.
 */
export const continuesSchedule = ({ schedulePath, step, attempt, endContinuesSchedule }: Job): boolean =>
  schedulePath !== undefined && step === undefined && (attempt === 0 || endContinuesSchedule === true);

import { v5 as uuidv5 } from "uuid";
import * as z from "zod";
import type { Job } from "../jobs/job.ts";

/** The next run of an enabled schedule. */
export const nextRunSchema = z.object({
  /** The id of the schedule. A later schedule at the same path has another one. */
  schedule: z.string(),
  /** The tick of the next run (epoch ms). */
  tickMs: z.number(),
  /** The queued job of the tick, unless the tick is too far away. For a flow without overlap: the run whose end is awaited. */
  job: z.string().optional(),
  /** The job that started last. */
  last: z.string().optional(),
  /** When housekeeping checks the schedule (epoch ms). */
  dueAtMs: z.number(),
});
export type NextRun = z.infer<typeof nextRunSchema>;

/** The value of the job field `claimer` for the runs of schedules. */
export const SCHEDULE_CLAIMER = "schedule";

const PREFIX = "schedule#";
/** Returns the key of a schedule's next run in the table of jobs. */
export const toNextRunId = (workspace: string, path: string): string => `${PREFIX}${workspace}#${path}`;
/** Returns the schedule of a key, or `undefined` for the key of something else. */
export function parseNextRunId(id: string): { workspace: string; path: string } | undefined {
  if (!id.startsWith(PREFIX)) return undefined;
  const [, workspace = "", path = ""] = id.split("#");
  return { workspace, path };
}

/** Returns the id of the job of a tick, which is the same however often the tick is computed. */
export const toRunId = (schedule: string, tickMs: number): string => uuidv5(String(tickMs), schedule);
/** Returns the id of the job that decides whether a run is skipped. */
export const toSkipCheckId = (runId: string): string => uuidv5("dynamic_skip", runId);

/**
 * Returns whether the end of a job gives its schedule the next run: it ends before it has started, for example because it was canceled, or the schedule
 * waits for its end.
 */
export const continuesSchedule = ({ schedulePath, step, attempt, endContinuesSchedule }: Job): boolean =>
  schedulePath !== undefined && step === undefined && (attempt === 0 || endContinuesSchedule === true);

import type { EndState, Job } from "../../core/jobs/record/job.ts";
import { hasOutcomeHandlers, scheduleOutcomesObject } from "../../core/outcome-handlers/schedule-outcomes.ts";
import type { StoredSchedule } from "../../core/schedules/schedule.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

/** Loads the schedule whose tick a job runs; `undefined` for another job, and if the schedule is gone. */
export async function loadScheduleOf(
  objects: Pick<ObjectStore, "get">,
  { workspace, schedulePath }: Pick<Job, "workspace" | "schedulePath">,
): Promise<StoredSchedule | undefined> {
  if (schedulePath === undefined) return undefined;
  // Loaded on first use, so that functions start faster: few jobs are those of a schedule.
  const { scheduleObject } = await import("../../core/schedules/schedule.ts");
  const found = await objects.get(scheduleObject.key(workspace, schedulePath));
  return found && scheduleObject.parse(found);
}

/** Returns whether a handler of the job's schedule may follow its end, or whether the end must be counted for one. A skipped run counts as none. */
export async function mayCallScheduleHandler(objects: Pick<ObjectStore, "get">, job: Job, state: EndState): Promise<boolean> {
  if (job.schedulePath === undefined || state === "skipped") return false;
  const schedule = await loadScheduleOf(objects, job);
  if (!schedule || !hasOutcomeHandlers(schedule.settings)) return false;
  if (state !== "succeeded" || schedule.settings.on_success) return true;
  // A success matters only after a failure.
  return (await objects.get(scheduleOutcomesObject.key(job.workspace, schedule.id))) !== undefined;
}

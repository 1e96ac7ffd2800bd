import type { ScheduleRunJson, ScheduleWithJobsJson } from "../../contract/routes/schedules/schedule.ts";
import { buildListPartitions, getStartMs, hasEnded, isSuccess } from "../../core/jobs/record/job.ts";
import { type StoredSchedule, toScheduleJson } from "../../core/schedules/schedule.ts";
import type { Uses } from "../uses.ts";
import { loadSchedules } from "./read.ts";

/** The number of runs of a schedule that a list shows, and of the newest runs of its script or flow in each shard that are compared. */
const SHOWN = 20;
const COMPARED = 50;

/** Lists one page of the schedules that the caller may see, by path, each with its last runs that have ended. */
export async function listSchedulesWithRuns(
  deps: Uses<"jobs" | "objects">,
  workspace: string,
  query: { page?: number | undefined; per_page?: number | undefined },
  isVisible: (path: string) => boolean,
): Promise<ScheduleWithJobsJson[]> {
  const listed: ScheduleWithJobsJson[] = [];
  // One after the other: each reads four partitions at once.
  for (const schedule of await loadSchedules(deps, workspace, query, isVisible)) {
    listed.push({ ...toScheduleJson(workspace, schedule), jobs: await listRuns(deps, workspace, schedule) });
  }
  return listed;
}

async function listRuns({ jobs }: Uses<"jobs">, workspace: string, { path, scriptPath }: StoredSchedule): Promise<ScheduleRunJson[]> {
  const pages = await Promise.all(
    buildListPartitions(workspace).map((shard) => jobs.list({ index: "path", partition: `${shard}#${scriptPath}`, limit: COMPARED })),
  );
  const found = await jobs.batchGet(pages.flatMap(({ entries }) => entries.map(({ id }) => id)));
  return found
    .filter(hasEnded)
    .filter((job) => job.schedulePath === path && job.step === undefined)
    .sort((a, b) => b.endedAtMs - a.endedAtMs)
    .slice(0, SHOWN)
    .map((job) => ({ id: job.id, success: isSuccess(job), duration_ms: job.endedAtMs - getStartMs(job) }));
}

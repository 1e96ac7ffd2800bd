import { SvcError } from "../../contract/errors.ts";
import type { ScheduleJson, ScheduleListQuery } from "../../contract/routes/schedules/schedule.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { tryParseJson } from "../../core/payload/json.ts";
import { type CronTiming, findNextTick, parseTiming } from "../../core/schedules/cron.ts";
import { matchesSchedule, type StoredSchedule, scheduleObject, toScheduleJson } from "../../core/schedules/schedule.ts";
import { loadPage } from "../objects/load-page.ts";
import type { Uses } from "../uses.ts";

/** Returns the schedule at a path, or `undefined` if there is none. */
async function findSchedule({ objects }: Uses<"objects">, workspace: string, path: string): Promise<StoredSchedule | undefined> {
  const found = await objects.get(scheduleObject.key(workspace, path));
  return found && scheduleObject.parse(found);
}

/** Returns the stored schedule. Throws `schedule.notFound`. */
function requireSchedule(found: StoredObject | undefined, path: string): StoredSchedule {
  if (!found) throw new SvcError("schedule.notFound", { path });
  return scheduleObject.parse(found);
}

/** Returns a schedule. Throws `schedule.notFound`. */
export async function getSchedule({ objects }: Uses<"objects">, workspace: string, path: string): Promise<Versioned<ScheduleJson>> {
  const found = await objects.get(scheduleObject.key(workspace, path));
  return { json: toScheduleJson(workspace, requireSchedule(found, path)), version: getVersion(found ?? {}) };
}

/** Returns whether a schedule exists at a path. */
export async function scheduleExists({ objects }: Uses<"objects">, workspace: string, path: string): Promise<boolean> {
  return (await findSchedule({ objects }, workspace, path)) !== undefined;
}

/** Loads one page of the schedules that match a query and that the caller may see, by path. Throws `schedule.invalid`. */
export async function loadSchedules(
  deps: Uses<"objects">,
  workspace: string,
  query: ScheduleListQuery,
  isVisible: (path: string) => boolean,
): Promise<StoredSchedule[]> {
  const args = query.args === undefined ? undefined : parseArgsFilter(query.args);
  return loadPage(
    deps,
    { kind: scheduleObject, parts: [workspace], isVisible, matches: (schedule) => matchesSchedule(schedule, query, args) },
    query,
  );
}

/** Lists the schedules that match a query and that the caller may see, by path. Throws `schedule.invalid`. */
export async function listSchedules(
  deps: Uses<"objects">,
  workspace: string,
  query: ScheduleListQuery,
  isVisible: (path: string) => boolean,
): Promise<ScheduleJson[]> {
  return (await loadSchedules(deps, workspace, query, isVisible)).map((schedule) => toScheduleJson(workspace, schedule));
}

/** Counts the schedules of a script or flow. */
export async function countSchedules(
  { objects }: Uses<"objects">,
  workspace: string,
  runnable: { path: string; isFlow: boolean },
): Promise<number> {
  const stored = scheduleObject.parseReadable(await objects.list(scheduleObject.partitionKey(workspace)));
  return stored.filter(({ scriptPath, isFlow }) => scriptPath === runnable.path && isFlow === runnable.isFlow).length;
}

function parseArgsFilter(text: string): unknown {
  const parsed = tryParseJson(text);
  if (!parsed) throw new SvcError("schedule.invalid", { field: "args", reason: "it must be JSON" });
  return parsed.json;
}

/** The number of times that a preview lists. */
const PREVIEWED = 10;

/** Lists the next times of a timing (epoch ms). Throws `schedule.invalid`. */
export function previewTicks(timing: CronTiming, nowMs: number): number[] {
  const clock = parseTiming(timing);
  const ticks: number[] = [];
  for (let after: number | undefined = nowMs; after !== undefined && ticks.length < PREVIEWED; ) {
    after = findNextTick(clock, after);
    if (after !== undefined) ticks.push(after);
  }
  return ticks;
}

import * as z from "zod";
import { jsonObject } from "../../contract/common.ts";
import { defined } from "../../contract/defined.ts";
import {
  type ScheduleJson,
  type ScheduleListQuery,
  type ScheduleSettings,
  scheduleSettingsSchema,
} from "../../contract/routes/schedules/schedule.ts";
import { withinBounds } from "../../contract/utilities/within-bounds.ts";
import { isJsonSubset } from "../jobs/lists/filter.ts";
import { defineObject, inWorkspace, sortByPath } from "../objects/define-object.ts";

/** A stored schedule. */
export const storedScheduleSchema = z.object({
  /** Created with the schedule: the ids of its runs are derived from it, so that a later schedule at the same path has other runs. */
  id: z.string(),
  path: z.string(),
  schedule: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  scriptPath: z.string(),
  isFlow: z.boolean(),
  args: jsonObject,
  /** The identity whose current rights the runs have. `superAdmin`: a superadmin saved the schedule for their own runs. */
  permissionedAs: z.string(),
  email: z.string(),
  superAdmin: z.boolean(),
  editedBy: z.string(),
  editedAtMs: z.number(),
  /** The reason for which the schedule turned itself off, or the ticks that it skipped, until it is saved again. */
  error: z.string().optional(),
  /** The job that had started last when the schedule was turned off. It may still run when the schedule is turned on again. */
  lastRun: z.string().optional(),
  /** The optional settings under their API names. */
  settings: withinBounds(scheduleSettingsSchema),
});
export type StoredSchedule = z.infer<typeof storedScheduleSchema>;

/** Returns the `Schedule` of api.md §3.7. */
export function toScheduleJson(workspace: string, schedule: StoredSchedule): ScheduleJson {
  const {
    path,
    schedule: cron,
    timezone,
    enabled,
    scriptPath,
    isFlow,
    args,
    permissionedAs,
    email,
    editedBy,
    editedAtMs,
    error,
  } = schedule;
  return {
    workspace_id: workspace,
    path,
    schedule: cron,
    timezone,
    enabled,
    script_path: scriptPath,
    is_flow: isFlow,
    args,
    extra_perms: {},
    email,
    permissioned_as: permissionedAs,
    edited_by: editedBy,
    edited_at: new Date(editedAtMs).toISOString(),
    ...defined({ error }),
    ...schedule.settings,
  };
}

/** Returns the settings among the fields of a request. Those that are null are left out. */
export function pickSettings(request: ScheduleSettings): ScheduleSettings {
  const names = Object.keys(scheduleSettingsSchema.shape);
  return Object.fromEntries(Object.entries(request).filter(([name, value]) => names.includes(name) && value != null));
}

const holds = (text: string | null | undefined, part: string) => (text ?? "").toLowerCase().includes(part.toLowerCase());

/** Returns whether a schedule matches the filters of `schedules/list`. `args` is the parsed filter of the same name. */
export function matchesSchedule(schedule: StoredSchedule, query: ScheduleListQuery, args: unknown): boolean {
  const { path, scriptPath, isFlow, settings } = schedule;
  const { summary, description, labels } = settings;
  const { broad_filter: broad } = query;
  return (
    (args === undefined || isJsonSubset(args, schedule.args)) &&
    (query.path === undefined || scriptPath === query.path) &&
    (query.is_flow === undefined || isFlow === (query.is_flow === "true")) &&
    (query.path_start === undefined || path.startsWith(query.path_start)) &&
    (query.schedule_path === undefined || holds(path, query.schedule_path)) &&
    (query.summary === undefined || holds(summary, query.summary)) &&
    (query.description === undefined || holds(description, query.description)) &&
    (query.label === undefined || (labels ?? []).includes(query.label)) &&
    (broad === undefined || [path, scriptPath, summary, description, schedule.schedule].some((text) => holds(text, broad)))
  );
}

export const scheduleObject = defineObject({
  name: "schedule",
  partition: "SCHED",
  ...inWorkspace,
  sort: sortByPath,
  schema: storedScheduleSchema,
});

import * as z from "zod";
import { extraPerms, handlerPath, jobId, jsonObject, page, runnablePath, timestamp } from "../../common.ts";
import { retrySchema } from "../../flows/flow-value.ts";
import { limits } from "../../limits.ts";

const times = z.int().min(1).max(1000);

/** The optional settings of a schedule. `null` is the same as absent. */
const settings = {
  summary: z.string().max(1000).nullish(),
  description: z.string().max(20_000).nullish(),
  on_failure: handlerPath.nullish(),
  on_failure_times: times.nullish(),
  on_failure_exact: z.boolean().nullish(),
  on_failure_extra_args: jsonObject.nullish(),
  on_recovery: handlerPath.nullish(),
  on_recovery_times: times.nullish(),
  on_recovery_extra_args: jsonObject.nullish(),
  on_success: handlerPath.nullish(),
  on_success_extra_args: jsonObject.nullish(),
  ws_error_handler_muted: z.boolean().nullish(),
  retry: retrySchema.nullish().describe("How a script is run again when it fails. A flow has the retries of its steps instead."),
  no_flow_overlap: z.boolean().nullish().describe("A flow does not start again while its last run has not ended."),
  tag: z.string().min(1).max(100).nullish(),
  paused_until: timestamp.nullish().describe("No tick before this time."),
  cron_version: z.enum(["v1", "v2"]).nullish().describe("v1 counts the days of the week from 1 (Sunday), v2 from 0 or 7 (Sunday)."),
  dynamic_skip: runnablePath
    .nullish()
    .describe("A script that is called with scheduled_for before each run, and skips the run if it returns true."),
  labels: z.array(z.string().max(100)).max(50).nullish(),
};
export const scheduleSettingsSchema = z.object(settings);
export type ScheduleSettings = z.output<typeof scheduleSettingsSchema>;

/** The cron expression and the zone are checked by `core/schedules/cron.ts`, whose error names the field. */
const timing = {
  schedule: z.string().max(limits.cronChars).describe("Five cron fields, or six with seconds first."),
  timezone: z.string().max(100).describe("An IANA time zone."),
};
const identity = {
  permissioned_as: z.string().max(100).nullish().describe("Only with preserve_permissioned_as: the user whose rights the runs have."),
  email: z.string().max(320).nullish().describe("Has no effect: it follows from permissioned_as."),
  preserve_permissioned_as: z.boolean().nullish().describe("For administrators: runs have the rights of permissioned_as."),
};

export const newScheduleSchema = z.object({
  path: runnablePath,
  ...timing,
  script_path: runnablePath,
  is_flow: z.boolean(),
  args: jsonObject.nullable(),
  enabled: z.boolean().nullish().describe("Default: true."),
  ...settings,
  ...identity,
});
export type NewSchedule = z.output<typeof newScheduleSchema>;

/**
 * Omitting an optional setting removes it. If omitted, `script_path`, `is_flow` and `enabled` remain unchanged; only the user of the
 * schedule may omit the first two.
 */
export const scheduleChangeSchema = z.object({
  path: runnablePath.nullish().describe("If present, it must be the path of the schedule."),
  ...timing,
  script_path: runnablePath.nullish(),
  is_flow: z.boolean().nullish(),
  args: jsonObject.nullable(),
  enabled: z.boolean().nullish(),
  ...settings,
  ...identity,
});
export type ScheduleChange = z.output<typeof scheduleChangeSchema>;

export const scheduleSchema = z.object({
  workspace_id: z.string(),
  path: z.string(),
  schedule: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  script_path: z.string(),
  is_flow: z.boolean(),
  args: jsonObject,
  extra_perms: extraPerms,
  email: z.string(),
  permissioned_as: z.string(),
  edited_by: z.string(),
  edited_at: timestamp,
  error: z.string().optional().describe("Why the schedule turned itself off, or which ticks it skipped."),
  ...settings,
});
export type ScheduleJson = z.output<typeof scheduleSchema>;

const scheduleRunSchema = z.object({ id: jobId, success: z.boolean(), duration_ms: z.number() });
export type ScheduleRunJson = z.output<typeof scheduleRunSchema>;
export const scheduleWithJobsSchema = scheduleSchema.extend({ jobs: z.array(scheduleRunSchema) });
export type ScheduleWithJobsJson = z.output<typeof scheduleWithJobsSchema>;

export const scheduleListQuery = z.object({
  ...page,
  args: z.string().optional().describe("Only schedules whose arguments contain this JSON object."),
  path: z.string().optional().describe("Only schedules of the script or flow at this path."),
  is_flow: z.enum(["true", "false"]).optional(),
  path_start: z.string().optional().describe("Only schedules whose own path starts like this."),
  schedule_path: z.string().optional().describe("Only schedules whose own path contains this text."),
  summary: z.string().optional(),
  description: z.string().optional(),
  broad_filter: z.string().optional(),
  label: z.string().optional(),
});
export type ScheduleListQuery = z.output<typeof scheduleListQuery>;

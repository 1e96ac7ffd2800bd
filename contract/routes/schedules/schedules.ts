import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atPath, inWorkspace, page, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { newScheduleSchema, scheduleChangeSchema, scheduleListQuery, scheduleSchema, scheduleWithJobsSchema } from "./schedule.ts";

const w = "/api/w/{workspace}/schedules";
const read = { method: "GET", fn: "triggers", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "triggers", auth: "token", status: 200 } as const;

const listAll = { domain: "schedules", verb: "read", need: "read", target: "list" } as const;
const saveErrors = [
  "schedule.invalid",
  "schedule.changedMeanwhile",
  "schedule.notPreserved",
  "run.arguments",
  "body.tooLarge",
  "path.noFolder",
  "workspace.notFound",
  "script.notFound",
  "flow.notFound",
  "user.notFound",
  "reference.refused",
] as const;

export const scheduleRoutes = {
  listSchedules: defineRoute({
    ...read,
    name: "schedules.list",
    summary: "List the schedules of the workspace by path.",
    path: `${w}/list`,
    access: listAll,
    params: inWorkspace,
    query: scheduleListQuery,
    reply: { json: z.array(scheduleSchema) },
    errors: ["schedule.invalid"],
  }),
  listSchedulesWithJobs: defineRoute({
    ...read,
    name: "schedules.listWithJobs",
    summary: "List the schedules of the workspace by path, each with its last 20 runs that have ended, newest first.",
    path: `${w}/list_with_jobs`,
    access: listAll,
    params: inWorkspace,
    query: z.object(page),
    reply: { json: z.array(scheduleWithJobsSchema) },
    errors: [],
  }),
  getSchedule: defineRoute({
    ...read,
    name: "schedules.get",
    summary: "Get a schedule.",
    path: `${w}/get/{path+}`,
    access: actions.readSchedule.access,
    params: atPath,
    reply: { json: scheduleSchema },
    errors: ["schedule.notFound"],
  }),
  existsSchedule: defineRoute({
    ...read,
    name: "schedules.exists",
    summary: "Check whether there is a schedule at this path.",
    path: `${w}/exists/{path+}`,
    access: { domain: "schedules", verb: "read", need: "read", target: "path", hiddenAs: false },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  createSchedule: defineRoute({
    ...post,
    name: "schedules.create",
    summary: "Save a new schedule, which runs a script or flow with the rights of the caller.",
    path: `${w}/create`,
    access: { domain: "schedules", verb: "write", need: "write", target: "request" },
    audits: { kind: "Created", resource: { body: "path" } },
    params: inWorkspace,
    body: newScheduleSchema,
    status: 201,
    reply: { text: "The path." },
    errors: [...saveErrors, "schedule.exists"],
  }),
  updateSchedule: defineRoute({
    ...post,
    name: "schedules.update",
    summary: "Replace a schedule. Omitted optional settings are removed. Its runs have the rights of the caller from then on.",
    path: `${w}/update/{path+}`,
    access: actions.saveSchedule.access,
    operation: "schedule.edit",
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: scheduleChangeSchema,
    reply: { text: "The path." },
    errors: [...saveErrors, "schedule.notFound", "identity.fieldsMissing"],
  }),
  setScheduleEnabled: defineRoute({
    ...post,
    name: "schedules.setEnabled",
    summary: "Turn a schedule on or off. Its runs have the same rights as before.",
    path: `${w}/setenabled/{path+}`,
    access: actions.saveSchedule.access,
    operation: "schedule.setenabled",
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: z.object({ enabled: z.boolean(), force: z.boolean().nullish().describe("Has no effect.") }),
    reply: { text: "A confirmation." },
    errors: ["schedule.notFound", "schedule.changedMeanwhile", "schedule.invalid", "run.arguments", "script.notFound", "flow.notFound"],
  }),
  deleteSchedule: defineRoute({
    ...post,
    method: "DELETE",
    name: "schedules.delete",
    summary: "Delete a schedule. A run that has started continues.",
    path: `${w}/delete/{path+}`,
    access: actions.saveSchedule.access,
    audits: { kind: "Delete", resource: { param: "path" } },
    params: atPath,
    reply: { text: "A confirmation." },
    errors: ["schedule.notFound", "schedule.changedMeanwhile"],
  }),
  previewSchedule: defineRoute({
    ...post,
    name: "schedules.preview",
    summary: "List the next times of a cron expression.",
    path: "/api/schedules/preview",
    access: { domain: "schedules", verb: "read", need: "self", target: "none" },
    body: z.object({
      schedule: newScheduleSchema.shape.schedule,
      timezone: newScheduleSchema.shape.timezone,
      cron_version: newScheduleSchema.shape.cron_version,
    }),
    reply: { json: z.array(timestamp) },
    errors: ["schedule.invalid"],
  }),
};

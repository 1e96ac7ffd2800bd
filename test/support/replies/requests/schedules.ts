import { bad, closed, found, good, type Steps } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const path = "f/t/yearly";
const none = { path: "f/t/none" };
const schedule = { schedule: "0 0 8 1 1 *", timezone: "Europe/Berlin", script_path: "f/t/script", is_flow: false, args: { x: 1 } };

export const schedules: Steps = [
  ...aScript,
  good("createSchedule", { json: { path, ...schedule, summary: "Each year", enabled: true, on_failure: "script/f/t/script" } }),
  bad("createSchedule", { json: { path, ...schedule } }),
  bad("createSchedule", { json: { path: "f/t/other", ...schedule, schedule: "never" } }),
  bad("createSchedule", { json: { path: "f/t/other", ...schedule, script_path: "f/t/none" } }),
  ...found("getSchedule", { path }, none),
  ...closed("existsSchedule", { params: { path } }),
  ...closed("listSchedules"),
  bad("listSchedules", { query: { is_flow: "perhaps" } }),
  ...closed("listSchedulesWithJobs"),
  ...found("updateSchedule", { path }, none, { json: { ...schedule, schedule: "0 0 9 1 1 *", on_success: "script/f/t/script" } }),
  bad("updateSchedule", { params: { path }, json: { ...schedule, timezone: "Mars/Base" } }),
  ...found("setScheduleEnabled", { path }, none, { json: { enabled: false } }),
  good("previewSchedule", { json: { schedule: "0 30 8 * * MON", timezone: "Europe/Berlin" } }),
  bad("previewSchedule", { json: { schedule: "0 30 8 * * NEVER", timezone: "Europe/Berlin" } }),
  ...found("deleteSchedule", { path }, none),
];

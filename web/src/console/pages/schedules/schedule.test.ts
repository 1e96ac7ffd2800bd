import { expect, it } from "vitest";
import type { ScheduleJson } from "../../../../../contract/routes/schedules/schedule.ts";
import { clockChanges, describeCron, fromSchedule, toSchedule } from "./schedule.ts";

const stored: ScheduleJson = {
  workspace_id: "demo",
  path: "f/ops/morning",
  schedule: "0 30 8 * * MON-FRI",
  timezone: "Europe/Berlin",
  enabled: true,
  script_path: "f/ops/report",
  is_flow: false,
  args: { name: "morning" },
  extra_perms: {},
  email: "ann@example.com",
  permissioned_as: "u/ann",
  edited_by: "ann",
  edited_at: "2026-01-01T00:00:00Z",
  error: "",
  on_failure: "script/f/ops/notify",
  on_failure_times: 3,
  retry: { constant: { attempts: 2, seconds: 1 } },
  tag: "fast",
};

it("a save sends the settings that the form does not show, and nothing that the service sets", () => {
  expect(toSchedule(fromSchedule(stored))).toEqual({
    path: "f/ops/morning",
    summary: null,
    schedule: "0 30 8 * * MON-FRI",
    timezone: "Europe/Berlin",
    enabled: true,
    script_path: "f/ops/report",
    is_flow: false,
    args: { name: "morning" },
    no_flow_overlap: null,
    on_failure: "script/f/ops/notify",
    on_recovery: null,
    on_success: null,
    on_failure_times: 3,
    retry: { constant: { attempts: 2, seconds: 1 } },
    tag: "fast",
  });
});

it.each([
  ["30 8 * * 1-5", undefined, "At 08:30, Monday through Friday"],
  ["0 30 8 * * 2", "v1", "At 08:30, only on Monday"],
  ["0 30 8 * * 1", "v2", "At 08:30, only on Monday"],
  ["soon", undefined, undefined],
])("the expression %s of version %s means: %s", (cron, version, words) => {
  expect(describeCron(cron, version)).toBe(words);
});

it("a run is marked if the clocks of its zone change before it", () => {
  const times = ["2026-03-28T07:00:00Z", "2026-03-29T06:00:00Z", "2026-03-30T06:00:00Z"];
  const fromMs = Date.parse("2026-03-27T12:00:00Z");
  expect(clockChanges(times, "Europe/Berlin", fromMs)).toEqual([false, true, false]);
  expect(clockChanges(times, "UTC", fromMs)).toEqual([false, false, false]);
});

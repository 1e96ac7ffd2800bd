import cronstrue from "cronstrue";
import type { ScheduleChange, ScheduleJson } from "../../../../../contract/routes/schedules/schedule.ts";
import { offsetMs } from "../../../shared/form/zoned-time.ts";
import { ask } from "../../data/objects-api.ts";
import { schedulesText as text } from "../../messages/objects/schedules.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import type { ChosenRunnable } from "../../parts/stored/runnable-path.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

type Args = Record<string, unknown>;

/** The fields of the form of a schedule. */
export interface ScheduleValues {
  path: string;
  summary: string;
  cron: string;
  zone: string;
  runnable: ChosenRunnable | undefined;
  args: Args;
  /** The arguments without secrets, once the user has edited them. */
  keepableArgs?: Args | undefined;
  isEnabled: boolean;
  noOverlap: boolean;
  onFailure: string;
  onRecovery: string;
  onSuccess: string;
  /** The user whose rights the runs have. */
  runsAs: string;
  /** The settings that the form does not show. A save would remove those that it omits. */
  others: Partial<ScheduleChange>;
}

export const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const newSchedule: ScheduleValues = {
  path: "",
  summary: "",
  cron: "0 8 * * 1-5",
  zone: ownZone,
  runnable: undefined,
  args: {},
  isEnabled: true,
  noOverlap: false,
  onFailure: "",
  onRecovery: "",
  onSuccess: "",
  runsAs: "",
  others: {},
};

/** Returns the values of the form of a stored schedule. */
export function fromSchedule(stored: ScheduleJson): ScheduleValues {
  const { path, summary, schedule, timezone, script_path, is_flow, args, enabled, no_flow_overlap, ...rest } = stored;
  const { on_failure, on_recovery, on_success, permissioned_as, ...settings } = rest;
  // The service sets these.
  const { workspace_id, extra_perms, email, edited_by, edited_at, error, ...others } = settings;
  return {
    path,
    summary: summary ?? "",
    cron: schedule,
    zone: timezone,
    runnable: { kind: is_flow ? "flow" : "script", path: script_path },
    args,
    isEnabled: enabled,
    noOverlap: no_flow_overlap ?? false,
    onFailure: on_failure ?? "",
    onRecovery: on_recovery ?? "",
    onSuccess: on_success ?? "",
    runsAs: permissioned_as,
    others,
  };
}

/** Returns what a save sends. */
export function toSchedule({ runnable, others, ...values }: ScheduleValues) {
  return {
    ...others,
    path: values.path,
    summary: values.summary || null,
    schedule: values.cron,
    timezone: values.zone,
    script_path: runnable?.path ?? "",
    is_flow: runnable?.kind === "flow",
    args: values.args,
    enabled: values.isEnabled,
    no_flow_overlap: values.noOverlap || null,
    on_failure: values.onFailure || null,
    on_recovery: values.onRecovery || null,
    on_success: values.onSuccess || null,
  };
}

/** Reads a schedule for its form. */
export async function loadSchedule(workspace: string, path: string): Promise<Loaded<ScheduleValues>> {
  const { value, headers } = await ask.schedules.get({ workspace, path });
  return { values: fromSchedule(value), version: headers.get("etag") ?? undefined };
}

/** Returns the values that the browser may store. Arguments are part of them without secrets, and those of handlers are not. */
export function keepableSchedule({ args, keepableArgs, runsAs, others, ...fields }: ScheduleValues): Partial<ScheduleValues> {
  const { on_failure_extra_args: _, on_recovery_extra_args: __, on_success_extra_args: ___, ...kept } = others;
  return { ...fields, others: kept, ...(keepableArgs ? { args: keepableArgs } : {}) };
}

/** The fields in which two versions are compared. */
export const scheduleFields: readonly ComparedField<ScheduleValues>[] = [
  compared(storedText.path, "path"),
  compared(text.summary, "summary"),
  compared(text.runnable, "runnable", (runnable) => (runnable ? `${text.kindOf[runnable.kind]} ${runnable.path}` : "")),
  compared(text.cron, "cron"),
  compared(text.zone, "zone"),
  compared(text.args, "args"),
  compared(storedText.enabled, "isEnabled"),
  compared(text.noOverlap, "noOverlap"),
  compared(text.onFailure, "onFailure"),
  compared(text.onRecovery, "onRecovery"),
  compared(text.onSuccess, "onSuccess"),
  compared(text.more.title, "others"),
];

/** Describes a cron expression in words, or returns `undefined` if it is none. With `v1`, Sunday is day 1 of a week. */
export function describeCron(cron: string, version?: string | null): string | undefined {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true, dayOfWeekStartIndexZero: version !== "v1" });
  } catch {
    return undefined;
  }
}

/** Returns for each time whether the clocks of a zone have changed since the time before it. The first follows `fromMs`. */
export function clockChanges(times: readonly string[], zone: string, fromMs: number): boolean[] {
  let offset = offsetMs(zone, fromMs);
  return times.map((time) => {
    const next = offsetMs(zone, Date.parse(time));
    const hasChanged = next !== offset;
    offset = next;
    return hasChanged;
  });
}

import * as z from "zod";
import type { ScheduleSettings } from "../../contract/routes/schedules/schedule.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

const failedRunSchema = z.object({ job: z.string(), startedAtMs: z.number() });

/** The consecutive ends of a schedule's runs, counted up to one run. */
export const outcomeCountSchema = z.object({
  /** Consecutive failures. */
  failures: z.number(),
  /** Successes since the last failure, until the schedule has recovered from it. */
  successes: z.number(),
  /** The last failure, from which the schedule has not recovered. */
  failed: failedRunSchema.optional(),
});
export type OutcomeCount = z.infer<typeof outcomeCountSchema>;

export const NO_OUTCOMES: OutcomeCount = { failures: 0, successes: 0 };

interface EndedRun {
  succeeded: boolean;
  job: string;
  startedAtMs: number;
}

/** Counts the end of one more run. */
export function countOutcome({ failures, successes, failed }: OutcomeCount, { succeeded, job, startedAtMs }: EndedRun): OutcomeCount {
  if (!succeeded) return { failures: failures + 1, successes: 0, failed: { job, startedAtMs } };
  return failed ? { failures: 0, successes: successes + 1, failed } : NO_OUTCOMES;
}

/** The settings of a schedule that name its handlers. */
type HandlerSettings = Pick<
  ScheduleSettings,
  | "on_failure"
  | "on_failure_times"
  | "on_failure_exact"
  | "on_failure_extra_args"
  | "on_recovery"
  | "on_recovery_times"
  | "on_recovery_extra_args"
  | "on_success"
  | "on_success_extra_args"
>;

/** Returns whether a schedule has a handler for any end of its runs. */
export const hasOutcomeHandlers = ({ on_failure, on_recovery, on_success }: HandlerSettings): boolean =>
  Boolean(on_failure || on_recovery || on_success);

const recoveryTimes = ({ on_recovery_times: times }: HandlerSettings): number => times ?? 1;

/** Returns whether the schedule has recovered from its last failure, which then need not be stored any longer. */
export const hasRecovered = (settings: HandlerSettings, { failures, successes }: OutcomeCount): boolean =>
  failures === 0 && successes >= (settings.on_recovery ? recoveryTimes(settings) : 1);

/** A call of one of a schedule's handlers. */
export interface ScheduleHandlerCall {
  name: "on_failure" | "on_recovery" | "on_success";
  /** `script/<path>` or `flow/<path>`. */
  path: string;
  extraArgs: Record<string, unknown>;
  /** The number of failures or successes in a row. */
  times: number;
  /** The failure that the handler receives in addition to the success. */
  failed?: z.infer<typeof failedRunSchema>;
}

/**
 * Returns the handlers that follow the end of a run. `on_failure` is called after each failure from the given number of consecutive failures on,
 * or with `on_failure_exact` only at that number; `on_recovery` when the given number of successes has followed a failure; `on_success` after
 * each success.
 */
export function findHandlerCalls(settings: HandlerSettings, succeeded: boolean, count: OutcomeCount): ScheduleHandlerCall[] {
  const { failures, successes, failed } = count;
  if (!succeeded) {
    const times = settings.on_failure_times ?? 1;
    const isDue = settings.on_failure_exact ? failures === times : failures >= times;
    if (!settings.on_failure || !isDue) return [];
    return [{ name: "on_failure", path: settings.on_failure, extraArgs: settings.on_failure_extra_args ?? {}, times: failures }];
  }
  const calls: ScheduleHandlerCall[] = [];
  if (settings.on_recovery && failed && successes === recoveryTimes(settings)) {
    calls.push({
      name: "on_recovery",
      path: settings.on_recovery,
      extraArgs: settings.on_recovery_extra_args ?? {},
      times: successes,
      failed,
    });
  }
  if (settings.on_success) {
    const isFirst = failed !== undefined && successes === 1;
    const extraArgs = settings.on_success_extra_args ?? {};
    calls.push({ name: "on_success", path: settings.on_success, extraArgs, times: Math.max(successes, 1), ...(isFirst ? { failed } : {}) });
  }
  return calls;
}

/** The counts of a schedule's consecutive ends for its handlers, by the id of the schedule. */
export const scheduleOutcomesObject = defineObject({
  name: "outcomes of a schedule",
  partition: "OUTCOMES",
  ...inWorkspace,
  sort: (schedule: string) => schedule,
  schema: outcomeCountSchema,
});

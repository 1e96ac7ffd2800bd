import * as z from "zod";
import { assertNever } from "../../contract/assert-never.ts";
import { limits } from "../../contract/limits.ts";
import type { RunError, RunOutcome } from "../../runners/protocol.ts";
import { type EndedJob, type EndState, getWaitState, type Job, type RunningJob, runningJobSchema } from "./job.ts";

/** Whether the queue can hold the message of a job back until its time. */
export function isSendable(scheduledForMs: number | undefined, nowMs: number): boolean {
  return scheduledForMs === undefined || scheduledForMs - nowMs <= limits.maxQueueDelayMs;
}

/** Housekeeping looks every minute: sent this long before its time, a delayed job is sent in time. */
const SEND_AHEAD_MS = limits.maxQueueDelayMs - 120_000;

/**
 * When housekeeping looks at a job that it has heard nothing of: after the message or the first lease must have been used, or
 * when it is time to send a job whose time is far off.
 */
export function firstDueMs(nowMs: number, scheduledForMs?: number): number {
  if (scheduledForMs !== undefined && !isSendable(scheduledForMs, nowMs)) return scheduledForMs - SEND_AHEAD_MS;
  return Math.max(nowMs, scheduledForMs ?? 0) + limits.leaseMs + limits.leaseGraceMs + 5_000;
}

/** A lease that ran out, with the grace in which its supervisor ends itself. */
export function isLost(job: RunningJob, nowMs: number): boolean {
  return job.leaseUntilMs + limits.leaseGraceMs <= nowMs;
}

/** Whether another attempt may be made after this one was lost with its worker. */
export function mayRetryLoss(job: RunningJob): boolean {
  return job.losses + 1 < limits.maxAttempts;
}

/** Until then a flow may run: its time begins with its execution, when it is claimed for the last time. */
export const flowDeadlineMs = ({ startedAtMs, timeoutS }: Pick<RunningJob, "startedAtMs" | "timeoutS">): number =>
  startedAtMs + timeoutS * 1000;

/** Remaining whole seconds of a flow's time limit, at least one: a shorter delay would fire before the end. */
export const flowRemainingS = (flow: Pick<RunningJob, "startedAtMs" | "timeoutS">, nowMs: number): number =>
  Math.max(1, Math.ceil((flowDeadlineMs(flow) - nowMs) / 1000));

/** When housekeeping looks at a flow that runs: at its deadline too, for then perhaps nothing of it is under way. */
export const flowDueMs = (flow: Pick<RunningJob, "startedAtMs" | "timeoutS" | "suspends" | "consents">, nowMs: number): number =>
  Math.min(nowMs + (getWaitState(flow) ? limits.flowWaitLookMs : limits.flowLookMs), flowDeadlineMs(flow));

/** How a job ends: its state and the JSON text of its result. */
export interface Ending {
  state: EndState;
  resultJson: string;
}

export function failedEnding({ reply, ...error }: RunError): Ending {
  return { state: "failed", resultJson: JSON.stringify({ error: { ...error, ...reply } }) };
}

export const workerLostEnding = (attempts: number): Ending =>
  failedEnding({ name: "WorkerLost", message: `The worker that ran this job was lost ${attempts} times. The job is not retried.` });

export const flowTimedOutEnding = ({ timeoutS }: Pick<Job, "timeoutS">): Ending =>
  failedEnding({ name: "TimeoutError", message: `The flow exceeded its time limit of ${timeoutS} s.` });

export function canceledEnding(cancel: { by: string; reason: string }): Ending {
  const message = `Canceled by ${cancel.by}${cancel.reason ? `: ${cancel.reason}` : ""}`;
  return { state: "canceled", resultJson: JSON.stringify({ error: { name: "Canceled", message } }) };
}

/**
 * What a runner's report means for the job. A run that was killed because of a cancellation is canceled; a success that came in
 * before the kill still counts, as does a failure of its own.
 */
export function toEnding(job: RunningJob, outcome: RunOutcome): Ending {
  switch (outcome.outcome) {
    case "success":
      return { state: "succeeded", resultJson: JSON.stringify(outcome.result ?? null) };
    case "failure":
      return failedEnding(outcome.error ?? { name: "Error", message: "The script failed without an error message." });
    case "timeout":
      return failedEnding(
        outcome.error ?? { name: "ExecutionTimeout", message: `The script exceeded its time limit of ${job.timeoutS} s.` },
      );
    case "killed":
      return job.cancel
        ? canceledEnding(job.cancel)
        : failedEnding(outcome.error ?? { name: "Killed", message: "The run was stopped from outside." });
    default:
      return assertNever(outcome.outcome);
  }
}

/** The queue message for a job. */
export const jobMessageSchema = z.object({
  job: z.string(),
  /** The script version to run, so that it can be read while the job is claimed. */
  hash: z.string().optional(),
  /** The concurrency group that it must find a slot in. */
  group: z.string().optional(),
});
export type JobMessage = z.infer<typeof jobMessageSchema>;

/** The payload of a direct invocation of a worker by `run`: a job that is recorded as running, and the JSON text of its arguments unless they are long. */
export const jobCallSchema = z.object({ running: runningJobSchema, argsJson: z.string().optional() });
export type JobCall = z.infer<typeof jobCallSchema>;

/** The answer: the ended job, with its result unless that is long; `null` when its end will show in its record. */
export type JobCallResult = (EndedJob & { resultJson?: string }) | null;

/** The fields of a job that its message needs. */
export type Sendable = Pick<Job, "id" | "workspace" | "hash" | "priority" | "concurrency">;

export function toJobMessage({ id, hash, concurrency }: Sendable): JobMessage {
  return { job: id, ...(hash === undefined ? {} : { hash }), ...(concurrency ? { group: concurrency.group } : {}) };
}

/** Which of the two queues a job goes through. */
export const isHighPriority = ({ priority = 0 }: Pick<Job, "priority">) => priority > 0;

/** How long SQS must hold a message back, in whole seconds. */
export function queueDelayS(scheduledForMs: number | undefined, nowMs: number): number {
  if (scheduledForMs === undefined || scheduledForMs <= nowMs) return 0;
  return Math.min(Math.ceil((scheduledForMs - nowMs) / 1000), limits.maxQueueDelayMs / 1000);
}

/** Ends a job whose language has no runner. */
export const noRunnerEnding = (language: string): Ending =>
  failedEnding({ name: "NoRunner", message: `Scripts in ${language} can be stored, but this service cannot run them.` });

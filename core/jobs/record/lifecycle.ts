import * as z from "zod";
import { defined } from "../../../contract/defined.ts";
import { runnableLanguages } from "../../../contract/languages.ts";
import { limits } from "../../../contract/limits.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { laterMs } from "../../../contract/utilities/iso-time.ts";
import type { RunError, RunOutcome } from "../../../runners/protocol.ts";
import { type EndedJob, type EndState, getWaitState, type Job, type RunningJob, runningJobSchema } from "./job.ts";

/** Returns whether the queue can delay the message of a job until its time. */
export function isSendable(scheduledForMs: number | undefined, nowMs: number): boolean {
  return scheduledForMs === undefined || scheduledForMs - nowMs <= limits.maxQueueDelayMs;
}

/** Housekeeping runs every minute, so a delayed job is sent two minutes before the maximum delay of the queue applies. */
const SEND_AHEAD_MS = limits.maxQueueDelayMs - 120_000;

/**
 * Returns the time of the first housekeeping check of a job: after its message or first lease must have been used, or when the message of a
 * job in the far future must be sent.
 */
export function firstDueMs(nowMs: number, scheduledForMs?: number): number {
  if (scheduledForMs !== undefined && !isSendable(scheduledForMs, nowMs)) return scheduledForMs - SEND_AHEAD_MS;
  return Math.max(nowMs, scheduledForMs ?? 0) + limits.leaseMs + limits.leaseGraceMs + 5_000;
}

/**
 * Returns the time of the next housekeeping check of a job whose message is sent at `nowMs`. The interval doubles with each further message, so
 * that a lost message is replaced, but a long queue does not fill with copies.
 */
export function nextSendMs(nowMs: number, { createdAtMs, scheduledForMs = createdAtMs, concurrency }: ResentJob): number {
  if (scheduledForMs > nowMs) return firstDueMs(nowMs, scheduledForMs);
  const waitedMs = Math.min(nowMs - scheduledForMs, limits.resendMs);
  // A released slot notifies the next job, and housekeeping checks the group too. This check covers the loss of both.
  return Math.max(firstDueMs(nowMs), nowMs + waitedMs, concurrency ? nowMs + LIMITED_CHECK_MS : 0);
}
type ResentJob = Pick<Job, "createdAtMs" | "scheduledForMs" | "concurrency">;
const LIMITED_CHECK_MS = 300_000;

/** Returns the latest time at which housekeeping checks a job that waits to run at `nowMs`. */
export const lastDueMs = (nowMs: number): number => nowMs + Math.max(limits.resendMs, LIMITED_CHECK_MS);

/** Returns whether the lease of a job and the grace period, in which its supervisor ends itself, have passed. */
export function isLost(job: RunningJob, nowMs: number): boolean {
  return job.leaseUntilMs + limits.leaseGraceMs <= nowMs;
}

/** Returns whether another attempt is allowed after this one was lost with its worker. */
export function mayRetryLoss(job: RunningJob): boolean {
  return job.losses + 1 < limits.maxAttempts;
}

/** Returns the deadline of a flow (epoch ms). Its time starts with its execution. */
export const flowDeadlineMs = ({ startedAtMs, timeoutS }: Pick<RunningJob, "startedAtMs" | "timeoutS">): number =>
  laterMs(startedAtMs, timeoutS);

/** Returns the remaining whole seconds of a flow's time limit, at least one: a shorter delay would fire before the end. */
export const flowRemainingS = (flow: Pick<RunningJob, "startedAtMs" | "timeoutS">, nowMs: number): number =>
  Math.max(1, Math.ceil((flowDeadlineMs(flow) - nowMs) / 1000));

/**
 * Returns the time of the next housekeeping check of a running flow, at the latest its deadline, because no event may occur then. `waitsAlone`: the flow
 * waits for an approval, and nothing else runs in it.
 */
export function flowDueMs(flow: WaitingFlow, nowMs: number, { waitsAlone = false }: { waitsAlone?: boolean } = {}): number {
  return Math.min(nextCheckMs(flow, nowMs, waitsAlone), flowDeadlineMs(flow));
}
type WaitingFlow = Pick<RunningJob, "startedAtMs" | "timeoutS" | "suspends" | "consents" | "sleepsUntilMs">;

function nextCheckMs(flow: WaitingFlow, nowMs: number, waitsAlone: boolean): number {
  if (waitsAlone) return nowMs + limits.flowWaitCheckMs;
  const { sleepsUntilMs = 0 } = flow;
  if (sleepsUntilMs > nowMs) return Math.min(nowMs + limits.flowWaitCheckMs, sleepsUntilMs + limits.flowCheckMs);
  return nowMs + (getWaitState(flow) ? limits.flowBranchWaitCheckMs : limits.flowCheckMs);
}

/** The end of a job: its state, the JSON text of its result, and the output of a job that has no runner. */
export interface Ending {
  state: EndState;
  resultJson: string;
  log?: string;
}

/** Ends a job with an error. */
export function failedEnding({ reply, ...error }: RunError): Ending {
  return { state: "failed", resultJson: JSON.stringify({ error: { ...error, ...reply } }) };
}

/** Ends a job whose worker was lost for the last time. */
export const workerLostEnding = (attempts: number): Ending =>
  failedEnding({ name: "WorkerLost", message: `The worker that ran this job was lost ${attempts} times. The job is not retried.` });

/** Ends a flow that exceeded its time limit. */
export const flowTimedOutEnding = ({ timeoutS }: Pick<Job, "timeoutS">): Ending =>
  failedEnding({ name: "TimeoutError", message: `The flow exceeded its time limit of ${timeoutS} s.` });

/** Ends a job that was canceled. */
export function canceledEnding(cancel: { by: string; reason: string }): Ending {
  const message = `Canceled by ${cancel.by}${cancel.reason ? `: ${cancel.reason}` : ""}`;
  return { state: "canceled", resultJson: JSON.stringify({ error: { name: "Canceled", message } }) };
}

/**
 * Converts a runner's report to the end of the job. A run that was killed because of a cancellation is canceled. A success or a failure
 * that the run reported before the kill counts.
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
  /** The concurrency group in which it needs a slot. */
  group: z.string().optional(),
  /** It belongs to the high-priority queue. */
  high: z.literal(true).optional(),
  /** The job has ended, and its follow-ups must be started. */
  followUp: z.literal(true).optional(),
  /** A bulk action continues: its workspace and the key of its creator. `job` is its id. */
  bulk: z.object({ workspace: z.string(), person: z.string() }).optional(),
  /** The registered claimer that makes the job's first claim. */
  claimer: z.string().optional(),
  /** The number of times that this message was sent again because AWS refused the claim. */
  delays: z.number().optional(),
});
export type JobMessage = z.infer<typeof jobMessageSchema>;

/** The payload of a direct invocation of a worker by `run`: a job that is recorded as running, and the JSON text of its arguments unless they are long. */
export const jobCallSchema = z.object({ running: runningJobSchema, argsJson: z.string().optional() });
export type JobCall = z.infer<typeof jobCallSchema>;

/** A job that has just ended, with the JSON text of its result unless the runner stored it in S3. */
export type EndedJobWithResult = EndedJob & { resultJson?: string };

/** The response: the ended job, with its result unless that is large; `null` if the job ends later and its record will contain its end. */
export type JobCallResult = EndedJobWithResult | null;

/** The fields of a job that its message needs. */
export type Sendable = Pick<Job, "id" | "workspace" | "hash" | "priority" | "concurrency" | "claimer">;

/** Returns whether a job uses the high-priority queue. */
export const isHighPriority = ({ priority = 0 }: Pick<Job, "priority">) => priority > 0;

/** Builds the queue message of a job. */
export function toJobMessage(job: Sendable): JobMessage {
  const { id, hash, concurrency, claimer } = job;
  return {
    job: id,
    ...defined({ hash }),
    ...(concurrency ? { group: concurrency.group } : {}),
    ...(isHighPriority(job) ? { high: true } : {}),
    ...defined({ claimer }),
  };
}

/** Returns the delay of a message in whole seconds. */
export function queueDelayS(scheduledForMs: number | undefined, nowMs: number): number {
  if (scheduledForMs === undefined || scheduledForMs <= nowMs) return 0;
  return Math.min(Math.ceil((scheduledForMs - nowMs) / 1000), limits.maxQueueDelayMs / 1000);
}

/** Ends a job whose language has no runner. */
export const noRunnerEnding = (language: string): Ending =>
  failedEnding({
    name: "NoRunner",
    message: `Scripts in ${language} can be stored, but not run. This service runs ${runnableLanguages.join(", ")}.`,
  });

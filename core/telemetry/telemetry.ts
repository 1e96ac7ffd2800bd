import { endedJobOutcomes, type Outcome } from "../../contract/deployment/metrics.ts";

/** Details for the analysis of a failure. They never contain secrets, arguments or results. */
export interface FailureContext {
  /** The job's id. */
  job?: string | undefined;
  workspace?: string | undefined;
  [detail: string]: string | number | undefined;
}

/** The fields of a job that has ended which a report may contain. */
export interface EndedJobReport {
  id: string;
  workspace: string;
  kind: string;
  path?: string | undefined;
  state: keyof typeof endedJobOutcomes;
  trigger: string;
  triggerPath?: string | undefined;
  schedulePath?: string | undefined;
  step?: { id: string; flow?: string | undefined } | undefined;
  startedAtMs?: number | undefined;
  endedAtMs: number;
}

/** The log entry of a run, which the function that called the runner writes. */
export interface RunReport {
  job: string;
  workspace: string;
  attempt: number;
  language: string;
  outcome: string;
  setupMs: number | undefined;
  runMs: number | undefined;
  totalMs: number | undefined;
  memPeakKb: number | undefined;
  freshHost: boolean;
}

/** Receives the reports of use cases for operators. A deployed function writes them to its log and its metrics. */
export interface Telemetry {
  failure(message: string, error: unknown, context: FailureContext): void;
  count(outcome: Outcome, count: number, kind: string | undefined): void;
  ended?(job: EndedJobReport): void;
  ran?(run: RunReport): void;
}

const silent: Telemetry = { failure: () => undefined, count: () => undefined };
let current = silent;

/** Registers the process's telemetry; without a call, reports are dropped, as in a unit test. */
export function registerTelemetry(telemetry: Telemetry): void {
  current = telemetry;
}

/** Reports a failure from which the code recovers: a retry, housekeeping or a default replaces the failed step. */
export function reportFailure(message: string, error: unknown, context: FailureContext = {}): void {
  current.failure(message, error, context);
}

/** Reports a job that has just ended, and counts it by its state and kind. */
export function countEndedJob(job: EndedJobReport): void {
  countOutcome(endedJobOutcomes[job.state], { kind: job.kind });
  current.ended?.(job);
}

/** Reports a run after its runner has answered, because a runner may not write logs. */
export function reportRun(run: RunReport): void {
  current.ran?.(run);
}

/** Counts an outcome. `kind` is the kind of job, only for the outcomes of jobs. */
export function countOutcome(outcome: Outcome, { count = 1, kind }: { count?: number; kind?: string } = {}): void {
  if (count > 0) current.count(outcome, count, kind);
}

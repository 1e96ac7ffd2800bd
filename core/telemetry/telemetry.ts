/** Details that help an operator to find the cause of a failure. Never secrets, arguments or results. */
export interface FailureContext {
  /** The job's id. */
  job?: string | undefined;
  workspace?: string | undefined;
  [detail: string]: string | number | undefined;
}

/** Receives what use cases report for operators. A deployed function sends it to its log and its metrics. */
export interface Telemetry {
  failure(message: string, error: unknown, context: FailureContext): void;
}

const silent: Telemetry = { failure: () => undefined };
let current = silent;

/** Registers the process's telemetry; without a call, reports are dropped, as in a unit test. */
export function registerTelemetry(telemetry: Telemetry): void {
  current = telemetry;
}

/** Reports a failure from which the code recovers: a retry, housekeeping or a default replaces the failed step. */
export function reportFailure(message: string, error: unknown, context: FailureContext = {}): void {
  current.failure(message, error, context);
}

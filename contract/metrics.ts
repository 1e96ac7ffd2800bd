/** The namespace of the service's metrics in CloudWatch, and the dimension `service` of each. */
export const metricSource = { namespace: "svc", service: "svc" } as const;

/** Outcomes that are counted as metrics; docs/aws.md lists them. Each name, with each kind, is a paid metric of the account. */
export type Outcome =
  | "JobsSucceeded"
  | "JobsFailed"
  | "JobsCanceled"
  | "JobsSkipped"
  | "StepRetries"
  | "LostAttempts"
  | "RunnerThrottles"
  | "Postponements"
  | "DeadLetters"
  | "NoticesFailed"
  | `Housekeeping${string}`;

/** The metric of each state in which a job can end. */
export const endedJobOutcomes = {
  succeeded: "JobsSucceeded",
  failed: "JobsFailed",
  canceled: "JobsCanceled",
  skipped: "JobsSkipped",
} as const satisfies Record<string, Outcome>;

/** The namespace of the service's metrics in CloudWatch. The dimension `service` of each is the name of the stack. */
export const METRIC_NAMESPACE = "svc";

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
  | "ExecutionsFailed"
  | "NoticesFailed"
  | "DeliveriesFailed"
  | "MailsRefused"
  | `Housekeeping${string}`;

/** The metric of each state in which a job can end. */
export const endedJobOutcomes = {
  succeeded: "JobsSucceeded",
  failed: "JobsFailed",
  canceled: "JobsCanceled",
  skipped: "JobsSkipped",
} as const satisfies Record<string, Outcome>;

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
  | "TenantRefusals"
  | "Postponements"
  | "DeadLetters"
  | "ExecutionsFailed"
  | "NoticesFailed"
  | "DeliveriesFailed"
  | "MailsRefused"
  | "Attention"
  | `Housekeeping${string}`;

/** The metric of each state in which a job can end. */
export const endedJobOutcomes = {
  succeeded: "JobsSucceeded",
  failed: "JobsFailed",
  canceled: "JobsCanceled",
  skipped: "JobsSkipped",
} as const satisfies Record<string, Outcome>;

/**
 * The outcomes that concern the operator if they repeat, with their weights. Their weighted sum is the metric `Attention`, so that one
 * alarm covers them: CloudWatch charges each metric of an alarm. Those that single scripts or receivers cause need several in a minute.
 */
export const attentionWeights = {
  HousekeepingSetAside: 6,
  // Sources of triggers that function `connect` has not connected at once.
  HousekeepingConnected: 6,
  Postponements: 6,
  RunnerThrottles: 6,
  TenantRefusals: 6,
  DeliveriesFailed: 1,
  NoticesFailed: 1,
  LostAttempts: 1,
} as const satisfies Partial<Record<Outcome, number>>;

/** A minute whose `Attention` exceeds it is bad. */
export const ATTENTION_THRESHOLD = 5;

/** Returns the weight of an outcome in the metric `Attention`, 0 for outcomes that need none. */
export const attentionOf = (outcome: Outcome): number =>
  outcome in attentionWeights ? attentionWeights[outcome as keyof typeof attentionWeights] : 0;

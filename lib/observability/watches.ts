import { Duration } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { StateTransitionMetric } from "aws-cdk-lib/aws-stepfunctions";
import { ATTENTION_THRESHOLD, attentionWeights, METRIC_NAMESPACE, type Outcome } from "../../contract/deployment/metrics.ts";
import type { JobQueue } from "../compute/job-queue.ts";
import type { DeliveryQueues } from "../notifications/delivery-queues.ts";

export interface Observed {
  readonly stackName: string;
  readonly api: RestApi;
  /** The requests that API Gateway refused with the status 429. */
  readonly throttledRequests: IMetric;
  readonly queues: JobQueue;
  readonly deliveries: DeliveryQueues;
  readonly triggerDeadLetters: Queue;
  /** Every function of the stack, by the name of its folder. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly tables: { readonly jobs: Table; readonly objects: Table };
  /** The indexes of the table of jobs. */
  readonly indexes: readonly string[];
}

/** The sections of the dashboard. */
export type Section = "service" | "jobs" | "flows" | "approvals" | "limits";

export interface Graph {
  readonly section: Section;
  readonly title: string;
  readonly metric: IMetric;
}

interface Watch extends Graph {
  readonly id: string;
  /** A minute in which the metric exceeds it is bad. */
  readonly above: number;
  /** The number of bad minutes in a quarter of an hour that raise the alarm. A rarely called function never has three in a row. */
  readonly badMinutes: number;
  readonly meaning: string;
  /** The functions whose failures raise the alarm. */
  readonly covers?: readonly string[];
  /** Whether a deployment that raises this alarm is rolled back (docs/aws.md). CloudFormation allows five. */
  readonly rollsBack?: boolean;
}

/** The minutes that an alarm considers. */
export const WINDOW_MINUTES = 15;
const BAD_MINUTES = 3;
/** The age at which a record of a stream counts as late, because its consumer fails or is throttled. The consumer retries for 20 hours. */
const LATE_RECORD_MS = 600_000;

const minute = Duration.minutes(1);
const sum = { period: minute, statistic: Stats.SUM };

/** Returns a metric that functions/shared/observe.ts writes without a kind of job. */
export const outcomeMetric = (stackName: string, metricName: Outcome) =>
  new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap: { service: stackName }, ...sum });

/** Functions that run without a caller, and whose failures nothing else shows. Each has an alarm that names it. */
const OWN_ALARMS: readonly { name: string; rollsBack?: boolean }[] = [
  { name: "worker", rollsBack: true },
  { name: "step", rollsBack: true },
  { name: "housekeeping" },
  { name: "settle" },
];
/** The functions that answer requests: API Gateway answers 5xx for those that fail. */
const ANSWERING = ["run", "routes", "stream", "objects", "sync", "triggers", "jobs", "people", "console", "api", "approve", "chat", "web"];

/** The owner of the account invokes it and sees its reply. */
const NEEDS_NO_ALARM = ["setup"];

/** Returns the definitions of all alarms. CloudWatch charges for each metric of an alarm (decision 138). */
export function listWatches(observed: Observed): Watch[] {
  const watches = [...listServiceWatches(observed), ...listJobWatches(observed), ...listFlowWatches(observed), ...listLimitWatches()];
  requireCoverage([...observed.functions.keys()], watches);
  return watches;
}

/** Throws an error if the failures of a function raise no alarm, or if an alarm covers a function that does not exist. */
export function requireCoverage(functions: readonly string[], watches: readonly Pick<Watch, "covers">[]): void {
  const covered = new Set([...NEEDS_NO_ALARM, ...watches.flatMap(({ covers = [] }) => covers)]);
  for (const name of functions)
    if (!covered.has(name)) throw new Error(`No alarm covers the failures of the function ${name}: see lib/observability/watches.ts.`);
  for (const name of covered) if (!functions.includes(name)) throw new Error(`An alarm covers the function ${name}, which does not exist.`);
}

function listServiceWatches({ stackName, api, functions, deliveries, throttledRequests }: Observed): Watch[] {
  const late = (name: string, delayed: string): Watch => ({
    id: `Late-${name}`,
    section: "service",
    title: `Age of the oldest record for ${name} (ms)`,
    metric: metricOf(functions, name, (fn) => fn.metric("IteratorAge", { period: minute, statistic: Stats.MAXIMUM })),
    above: LATE_RECORD_MS,
    badMinutes: BAD_MINUTES,
    meaning: `the function ${name} does not process the stream of its table, so ${delayed}: see its log`,
    covers: [name],
  });
  return [
    {
      id: "Api5xx",
      section: "service",
      title: "API errors (5xx)",
      metric: api.metricServerError(sum),
      above: 5,
      badMinutes: BAD_MINUTES,
      meaning: "callers receive 5xx responses: the access log names the resource",
      covers: ANSWERING,
      rollsBack: true,
    },
    {
      id: "Api429",
      section: "service",
      title: "Requests that API Gateway refused (429)",
      metric: throttledRequests,
      above: 0,
      badMinutes: BAD_MINUTES,
      meaning: "API Gateway refuses requests: more than 1,000 a second, or the account's limit. The access log names their addresses",
    },
    {
      id: "Beat5xx",
      section: "service",
      title: "Errors of beats and reports (5xx)",
      metric: metricOf(functions, "beat", (fn) => fn.metric("Url5xxCount", sum)),
      above: 5,
      badMinutes: BAD_MINUTES,
      meaning: "runners receive 5xx responses from the URL of the function beat: see its log",
      covers: ["beat"],
    },
    ...OWN_ALARMS.map(({ name, rollsBack = false }) => ({
      id: `Errors-${name}`,
      section: "service" as const,
      title: `Errors: ${name}`,
      metric: metricOf(functions, name, (fn) => fn.metricErrors(sum)),
      above: 0,
      badMinutes: BAD_MINUTES,
      meaning: `the function ${name} fails; failing scripts never cause this`,
      covers: [name],
      rollsBack,
    })),
    {
      id: "Attention",
      section: "service",
      title: "Weighted outcomes that need attention",
      metric: outcomeMetric(stackName, "Attention"),
      above: ATTENTION_THRESHOLD,
      badMinutes: BAD_MINUTES,
      meaning: `one of ${Object.keys(attentionWeights).join(", ")} is high: see the metrics of the namespace ${METRIC_NAMESPACE} and docs/aws.md`,
      covers: [...functions.keys()].filter((name) => name.startsWith("runner-")).concat("build", "connect", "flows"),
    },
    late("deliver", "notices and events are late"),
    late("remove", "the data of expired jobs remains"),
    {
      id: "Undelivered",
      section: "service",
      title: "Messages that deliver could not handle",
      metric: deliveries.deadLetters.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      badMinutes: BAD_MINUTES,
      meaning: "notices or events were not delivered, because the function deliver failed again and again: see its log",
      covers: ["deliver"],
    },
  ];
}

function listJobWatches({ queues, triggerDeadLetters }: Observed): Watch[] {
  return [
    {
      id: "QueueAge",
      section: "jobs",
      title: "Age of the oldest waiting job (s)",
      metric: queues.queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
      above: 300,
      badMinutes: BAD_MINUTES,
      meaning: "jobs wait longer than five minutes: raise Lambda's concurrency quota or svc.workerConcurrency",
    },
    {
      // An update must not remove the alarm: CloudFormation retains it as a trigger of rollbacks.
      id: "FailedMessages",
      section: "jobs",
      title: "Job messages that failed too often",
      // Counted when function `dead-letter` receives them, so one that fails is counted again and again.
      metric: queues.deadLetters.metricNumberOfMessagesReceived(sum),
      above: 0,
      badMinutes: 1,
      meaning: "the service failed repeatedly to start a job: see the errors in the logs of worker and dead-letter",
      covers: ["dead-letter"],
      rollsBack: true,
    },
    {
      id: "TriggerDeadLetters",
      section: "jobs",
      title: "Messages of triggers that started no job",
      metric: triggerDeadLetters.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      badMinutes: BAD_MINUTES,
      meaning: "messages of triggers failed three times: see the field error of the triggers and the log of receive",
      covers: ["receive"],
    },
  ];
}

function listFlowWatches({ stackName }: Observed): Watch[] {
  return [
    {
      id: "ExecutionsFailed",
      section: "flows",
      title: "Failed executions",
      // The metrics of Step Functions exist for single machines only, which the stack does not know: the function settle counts their events.
      metric: outcomeMetric(stackName, "ExecutionsFailed"),
      above: 0,
      badMinutes: 1,
      meaning: "executions of flows fail, time out or are stopped by hand; a flow whose step fails is not one of them",
      rollsBack: true,
    },
    {
      id: "TransitionThrottles",
      section: "flows",
      title: "Throttled state transitions of the region",
      // A bucket of the account that all state machines share. Refused calls of the service, such as StartExecution, count as Postponements.
      metric: StateTransitionMetric.metricThrottledEvents(sum),
      above: 0,
      badMinutes: BAD_MINUTES,
      meaning: "Step Functions delays the steps of flows: raise its quota of state transitions (docs/aws.md)",
    },
  ];
}

function listLimitWatches(): Watch[] {
  return [
    {
      id: "Throttles",
      section: "limits",
      title: "Throttled functions of the region",
      // Without a dimension it counts every function of the region, which share one quota.
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "Throttles", ...sum }),
      above: 0,
      badMinutes: BAD_MINUTES,
      meaning: "Lambda refuses invocations in this region: raise the quota Concurrent executions (docs/aws.md)",
    },
  ];
}

/** Returns the graphs without an alarm: the outcomes that the alarm Attention adds up, and causes whose effects raise other alarms. */
export function listGraphs({ stackName, queues, deliveries, tables, indexes }: Observed): Graph[] {
  const throttled = (table: Table, ofIndexes: readonly string[] = []) => [
    ...["ReadThrottleEvents", "WriteThrottleEvents"].map((name) => table.metric(name, sum)),
    // A throttled index delays or refuses the writes of its table.
    ...ofIndexes.map((GlobalSecondaryIndexName) =>
      table.metric("WriteThrottleEvents", { ...sum, dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName } }),
    ),
  ];
  return [
    ...(Object.keys(attentionWeights) as (keyof typeof attentionWeights)[]).map((outcome) => ({
      section: outcome === "NoticesFailed" ? ("approvals" as const) : ("service" as const),
      title: outcome,
      metric: outcomeMetric(stackName, outcome),
    })),
    {
      section: "service",
      title: "Age of the oldest waiting delivery (s)",
      metric: deliveries.fast.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
    },
    {
      section: "jobs",
      title: "Waiting jobs with a priority",
      metric: queues.high.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MINIMUM }),
    },
    {
      section: "jobs",
      title: "Age of the oldest job with a priority (s)",
      metric: queues.high.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
    },
    {
      section: "limits",
      title: "Invocations that recursive loop detection stopped",
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "RecursiveInvocationsDropped", ...sum }),
    },
    ...Object.entries({ jobs: throttled(tables.jobs, indexes), objects: throttled(tables.objects) }).map(([name, metrics]) => ({
      section: "limits" as const,
      title: `Throttled reads and writes of the table ${name}`,
      metric: add("Throttled", metrics),
    })),
  ];
}

function metricOf(functions: Observed["functions"], name: string, metric: (fn: LambdaFunction) => IMetric): IMetric {
  const fn = functions.get(name);
  if (!fn) throw new Error(`The stack has no function ${name}, which an alarm covers.`);
  return metric(fn);
}

/** The sum of up to ten metrics, the maximum of an alarm. A metric without values counts as 0. */
function add(label: string, metrics: readonly Metric[]): MathExpression {
  const names = metrics.map((_, index) => `m${index}`);
  return new MathExpression({
    label,
    expression: names.map((name) => `FILL(${name},0)`).join("+"),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period: minute,
  });
}

import { Duration } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { METRIC_NAMESPACE, type Outcome } from "../../contract/metrics.ts";
import type { JobQueue } from "../compute/job-queue.ts";
import type { DeliveryQueues } from "../notifications/delivery-queues.ts";

export interface Observed {
  readonly stackName: string;
  readonly api: RestApi;
  readonly queues: JobQueue;
  readonly unremoved: Queue;
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

interface Watch {
  readonly id: string;
  readonly section: Section;
  readonly title: string;
  readonly metric: IMetric;
  /** The alarm is raised if the metric exceeds it in `minutes` consecutive minutes. */
  readonly above: number;
  readonly minutes: number;
  readonly meaning: string;
  /** Whether a deployment that raises this alarm is rolled back (docs/aws.md). CloudFormation allows five. */
  readonly rollsBack?: boolean;
}

const minute = Duration.minutes(1);
const sum = { period: minute, statistic: Stats.SUM };

/** Returns a metric that functions/shared/observe.ts writes without a kind of job. */
export const outcomeMetric = (stackName: string, metricName: Outcome) =>
  new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap: { service: stackName }, ...sum });

/** Returns everything that raises an alarm. CloudWatch charges for each metric of an alarm, docs/aws.md. */
export function listWatches(observed: Observed): Watch[] {
  return [...listServiceWatches(observed), ...listJobWatches(observed), ...listFlowWatches(observed), ...listLimitWatches(observed)];
}

function listServiceWatches({ stackName, api, functions, deliveries }: Observed): Watch[] {
  return [
    {
      id: "Api5xx",
      section: "service",
      title: "API errors (5xx)",
      metric: api.metricServerError(sum),
      above: 5,
      minutes: 3,
      meaning: "callers receive 5xx responses",
      rollsBack: true,
    },
    // One alarm for each function: an alarm over their sum costs the same, because each metric of it is charged, and does not name the function.
    ...[...functions].map(([name, fn]) => ({
      id: `Errors-${name}`,
      section: "service" as const,
      title: `Errors: ${name}`,
      metric: fn.metricErrors(sum),
      above: 0,
      minutes: 3,
      meaning: `the function ${name} fails; failing scripts never cause this`,
      rollsBack: name === "worker" || name === "step",
    })),
    {
      id: "RecursionDrops",
      section: "service",
      title: "Invocations that recursive loop detection stopped",
      // Without a dimension it counts every function of the region: the functions that may loop are never stopped, so it is about the others.
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "RecursiveInvocationsDropped", ...sum }),
      above: 0,
      minutes: 1,
      meaning: "Lambda stopped a function because it invoked itself through its own messages; the Health Dashboard names it",
    },
    {
      id: "SetAside",
      section: "service",
      title: "Items that housekeeping has set aside",
      metric: outcomeMetric(stackName, "HousekeepingSetAside"),
      above: 0,
      minutes: 15,
      meaning: "housekeeping fails again and again for a job, notice, workspace or state machine: list the items (docs/aws.md)",
    },
    {
      id: "NoticesFailed",
      section: "approvals",
      title: "Failed attempts to send a notice",
      metric: outcomeMetric(stackName, "NoticesFailed"),
      above: 10,
      minutes: 5,
      meaning: "notices of approvals repeatedly fail: see the log of deliver",
    },
    {
      id: "DeliveriesFailed",
      section: "service",
      title: "Deliveries of events that failed",
      metric: outcomeMetric(stackName, "DeliveriesFailed"),
      above: 0,
      minutes: 1,
      meaning: "the last attempt to deliver an event failed: the workspace's log of deliveries contains it with the state failed",
    },
    {
      id: "DeliveryAge",
      section: "service",
      title: "Age of the oldest waiting delivery (s)",
      // A message may be delayed for 15 minutes, and a receiver that does not answer delays only the slow lane.
      metric: deliveries.fast.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
      above: 1200,
      minutes: 5,
      meaning: "deliveries wait for minutes: the function deliver is throttled, or its event source mapping is off",
    },
    {
      id: "Undelivered",
      section: "service",
      title: "Messages that deliver could not handle",
      metric: deliveries.deadLetters.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      minutes: 5,
      meaning: "notices or events were not delivered, because the function deliver failed again and again: see its log",
    },
  ];
}

function listJobWatches({ stackName, queues, unremoved, triggerDeadLetters }: Observed): Watch[] {
  return [
    {
      id: "QueueAge",
      section: "jobs",
      title: "Age of the oldest waiting job (s)",
      metric: queues.queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
      above: 300,
      minutes: 5,
      meaning: "jobs wait longer than five minutes: raise Lambda's concurrency quota or svc.workerConcurrency",
    },
    {
      id: "HighQueue",
      section: "jobs",
      title: "Waiting jobs with a priority",
      // Jobs with a priority should not wait at all.
      metric: queues.high.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MINIMUM }),
      above: 0,
      minutes: 5,
      meaning: "jobs with a priority wait for minutes: too many have one, or Lambda's concurrency is used up",
    },
    {
      id: "HighQueueAge",
      section: "jobs",
      title: "Age of the oldest job with a priority (s)",
      // A message that a worker handles counts as well, for up to 15 minutes and the visibility timeout.
      metric: queues.high.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
      above: 1200,
      minutes: 5,
      meaning: "a job with a priority is not handled: its worker dies again and again, or nothing polls the queue",
    },
    {
      id: "DeadLetters",
      section: "jobs",
      title: "Dead letters",
      metric: queues.deadLetters.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      minutes: 5,
      meaning: "messages remain in the dead-letter queue because its consumer fails to process them",
    },
    {
      id: "TriggerDeadLetters",
      section: "jobs",
      title: "Messages of triggers that started no job",
      metric: triggerDeadLetters.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      minutes: 5,
      meaning: "messages of triggers failed three times: see the field error of the triggers and the log of receive",
    },
    {
      id: "Unremoved",
      section: "jobs",
      title: "Expired jobs that were not removed",
      metric: unremoved.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      minutes: 5,
      meaning: "the data of expired flows remains, because the function remove failed for 20 hours: see its log",
    },
    {
      id: "FailedMessages",
      section: "jobs",
      title: "Job messages that failed too often",
      metric: outcomeMetric(stackName, "DeadLetters"),
      above: 0,
      minutes: 1,
      meaning: "the service failed repeatedly to start a job: see the errors in the worker's log",
      rollsBack: true,
    },
    {
      id: "LostAttempts",
      section: "jobs",
      title: "Lost attempts",
      metric: outcomeMetric(stackName, "LostAttempts"),
      above: 5,
      minutes: 3,
      meaning: "many attempts end without an outcome: runners or workers die",
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
      minutes: 1,
      meaning: "executions of flows fail, time out or are stopped by hand; a flow whose step fails is not one of them",
      rollsBack: true,
    },
  ];
}

/** The operations on which every request and job depends. */
const OPERATIONS = ["GetItem", "UpdateItem", "TransactWriteItems"] as const;

function listLimitWatches({ stackName, tables, indexes }: Observed): Watch[] {
  const throttled = (table: Table, ofIndexes: readonly string[] = []) => [
    ...["ReadThrottleEvents", "WriteThrottleEvents"].map((name) => table.metric(name, sum)),
    // A throttled index delays or refuses the writes of its table.
    ...ofIndexes.map((GlobalSecondaryIndexName) =>
      table.metric("WriteThrottleEvents", { ...sum, dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName } }),
    ),
  ];
  const systemErrors = Object.values(tables).flatMap((table) =>
    OPERATIONS.map((Operation) => table.metric("SystemErrors", { ...sum, dimensionsMap: { TableName: table.tableName, Operation } })),
  );
  return [
    {
      id: "Throttles",
      section: "limits",
      title: "Throttled functions of the region",
      // Without a dimension it counts every function of the region. They share one quota, and the next graph shows the functions of this stack.
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "Throttles", ...sum }),
      above: 0,
      minutes: 5,
      meaning:
        "Lambda refuses invocations in this region: raise the quota Concurrent executions (docs/aws.md); the dashboard shows the functions",
    },
    {
      id: "RunnerThrottles",
      section: "limits",
      title: "Throttled runner calls",
      metric: outcomeMetric(stackName, "RunnerThrottles"),
      above: 0,
      minutes: 5,
      meaning: "runs wait for Lambda's concurrency limit: raise the quota or lower svc.workerConcurrency",
    },
    {
      id: "Postponements",
      section: "limits",
      title: "Work postponed because AWS refused a call",
      metric: outcomeMetric(stackName, "Postponements"),
      above: 0,
      minutes: 15,
      meaning: "jobs are late because AWS throttles a service, or one of them fails: the log names it (docs/aws.md, quotas)",
    },
    ...Object.entries({ jobs: throttled(tables.jobs, indexes), objects: throttled(tables.objects) }).map(([name, metrics]) => ({
      id: `TableThrottles-${name}`,
      section: "limits" as const,
      title: `Throttled reads and writes of the table ${name}`,
      metric: add("Throttled", metrics),
      above: 0,
      minutes: 5,
      meaning: `DynamoDB throttles the table ${name}: a hot partition, or more than twice the previous peak`,
    })),
    {
      id: "TableErrors",
      section: "limits",
      title: "Internal errors of DynamoDB",
      metric: add("Errors", systemErrors),
      above: 5,
      minutes: 3,
      meaning: "DynamoDB answers with internal errors: see the AWS Health Dashboard",
    },
  ];
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

import { Duration, Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { endedJobOutcomes, metricSource, type Outcome } from "../../contract/metrics.ts";
import type { JobQueue } from "../compute/job-queue.ts";
import type { StackConfig } from "../config.ts";

export interface Observed {
  readonly api: RestApi;
  readonly jobs: JobQueue;
  readonly runners: ReadonlyMap<string, LambdaFunction>;
  readonly housekeeping: LambdaFunction;
}

interface Watch {
  readonly id: string;
  readonly title: string;
  readonly metric: IMetric;
  /** The alarm is raised if the metric exceeds it in `minutes` consecutive minutes. */
  readonly above: number;
  readonly minutes: number;
  readonly meaning: string;
}

/** Alarms for an operator, and a dashboard with the same metrics, the ends of jobs and the retries of steps. A failed script concerns its owner and raises no alarm. */
export class Observe extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, config: StackConfig, observed: Observed) {
    super(scope, id);
    const topic = new Topic(this, "Alarms", { displayName: "svc alarms", enforceSSL: true });
    // This policy replaces the default one, which allows services of the account to publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    );
    if (config.alarmEmail) topic.addSubscription(new EmailSubscription(config.alarmEmail));

    this.dashboard = new Dashboard(this, "Dashboard", { defaultInterval: Duration.hours(3) });
    this.dashboard.addWidgets(
      new GraphWidget({ title: "Ended jobs", left: Object.values(endedJobOutcomes).map(overAllKinds), width: 12, height: 6 }),
      new GraphWidget({ title: "Retried steps", left: [outcomeMetric("StepRetries")], width: 12, height: 6 }),
    );
    for (const watch of watches(observed)) {
      const alarm = new Alarm(this, watch.id, {
        alarmDescription: `svc: ${watch.meaning}`,
        metric: watch.metric,
        threshold: watch.above,
        evaluationPeriods: watch.minutes,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
      this.dashboard.addWidgets(
        new GraphWidget({ title: watch.title, left: [watch.metric], leftAnnotations: [alarm.toAnnotation()], width: 12, height: 6 }),
      );
    }
  }
}

const minute = Duration.minutes(1);

/** A metric that functions/shared/observe.ts writes without a kind of job. */
const outcomeMetric = (metricName: Outcome) =>
  new Metric({
    namespace: metricSource.namespace,
    metricName,
    dimensionsMap: { service: metricSource.service },
    statistic: Stats.SUM,
    period: minute,
  });

/** The sum of a metric over all kinds of job. An alarm cannot use it, because it searches for the kinds. */
const overAllKinds = (metricName: Outcome) =>
  new MathExpression({
    expression: `SUM(SEARCH('{${metricSource.namespace},kind,service} MetricName="${metricName}"', 'Sum', 60))`,
    usingMetrics: {},
    label: metricName,
    period: minute,
  });

function watches({ api, jobs, runners, housekeeping }: Observed): Watch[] {
  return [
    {
      id: "QueueAge",
      title: "Age of the oldest waiting job (s)",
      metric: jobs.queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
      above: 300,
      minutes: 5,
      meaning: "jobs wait longer than five minutes: raise Lambda's concurrency quota or svc.workerConcurrency",
    },
    {
      id: "HighQueue",
      title: "Waiting jobs with a priority",
      // Not their age: that of a job which runs counts as well, and these should not wait at all.
      metric: jobs.high.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MINIMUM }),
      above: 0,
      minutes: 5,
      meaning: "jobs with a priority wait for minutes: too many have one, or Lambda's concurrency is used up",
    },
    {
      id: "DeadLetters",
      title: "Dead letters",
      metric: jobs.deadLetters.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      above: 0,
      minutes: 5,
      meaning: "messages remain in the dead-letter queue because its consumer fails to process them",
    },
    {
      id: "FailedMessages",
      title: "Job messages that failed too often",
      metric: outcomeMetric("DeadLetters"),
      above: 0,
      minutes: 1,
      meaning: "the service failed repeatedly to start a job: see the errors in the worker's log",
    },
    {
      id: "LostAttempts",
      title: "Lost attempts",
      metric: outcomeMetric("LostAttempts"),
      above: 5,
      minutes: 3,
      meaning: "many attempts end without an outcome: runners or workers die",
    },
    {
      id: "RunnerThrottles",
      title: "Throttled runner calls",
      metric: outcomeMetric("RunnerThrottles"),
      above: 0,
      minutes: 5,
      meaning: "runs wait for Lambda's concurrency limit: raise the quota or lower svc.workerConcurrency",
    },
    {
      id: "Postponements",
      title: "Work postponed because AWS refused a call",
      metric: outcomeMetric("Postponements"),
      above: 0,
      minutes: 15,
      meaning: "jobs are late because AWS throttles a service, or one of them fails: the log names it (docs/aws.md, quotas)",
    },
    {
      id: "RecursionDrops",
      title: "Invocations that recursive loop detection stopped",
      // Without a dimension it counts every function of the region: the functions that may loop are never stopped, so it is about the others.
      metric: new Metric({ namespace: "AWS/Lambda", metricName: "RecursiveInvocationsDropped", statistic: Stats.SUM, period: minute }),
      above: 0,
      minutes: 1,
      meaning: "Lambda stopped a function because it invoked itself through its own messages; the Health Dashboard names it",
    },
    {
      id: "NoticesFailed",
      title: "Failed attempts to send a notice",
      metric: outcomeMetric("NoticesFailed"),
      above: 10,
      minutes: 5,
      meaning: "notices of approvals repeatedly fail: see the log of deliver",
    },
    {
      id: "Api5xx",
      title: "API errors (5xx)",
      metric: api.metricServerError({ period: minute, statistic: Stats.SUM }),
      above: 5,
      minutes: 3,
      meaning: "callers receive 5xx responses",
    },
    // One alarm for each function: an alarm over their sum costs the same and does not name the function.
    ...[...runners].map(([language, runner]) => ({
      id: `RunnerErrors${language}`,
      title: `Runner errors: ${language}`,
      metric: runner.metricErrors({ period: minute, statistic: Stats.SUM }),
      above: 0,
      minutes: 3,
      meaning: `the ${language} runner itself fails; failing scripts never cause this`,
    })),
    {
      id: "HousekeepingErrors",
      title: "Housekeeping errors",
      metric: housekeeping.metricErrors({ period: minute, statistic: Stats.SUM }),
      above: 0,
      minutes: 3,
      meaning: "due and lost jobs are not recovered",
    },
  ];
}

import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type Dashboard, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { StackConfig } from "../config.ts";
import { createDashboard } from "./dashboard.ts";
import { listWatches, type Observed, WINDOW_MINUTES } from "./watches.ts";

/** Alarms for an operator, and optionally a dashboard with the same metrics. A failed script concerns its owner and raises no alarm. */
export class Observe extends Construct {
  readonly dashboard: Dashboard | undefined;
  /** The ARNs of the alarms that roll back a deployment, separated by spaces, as `cdk deploy` takes them. */
  readonly rollbackAlarms: string;

  constructor(scope: Construct, id: string, config: StackConfig, observed: Observed) {
    super(scope, id);
    const topic = new Topic(this, "Alarms", { displayName: `${observed.stackName} alarms`, enforceSSL: true });
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

    const alarms = listWatches(observed).map((watch) => {
      const alarm = new Alarm(this, watch.id, {
        alarmDescription: `${observed.stackName}: ${watch.meaning}`,
        metric: watch.metric,
        threshold: watch.above,
        evaluationPeriods: WINDOW_MINUTES,
        datapointsToAlarm: watch.badMinutes,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
      return { ...watch, alarm };
    });
    this.dashboard = config.dashboard ? createDashboard(this, observed, alarms) : undefined;
    this.rollbackAlarms = alarms.flatMap(({ alarm, rollsBack }) => (rollsBack ? [alarm.alarmArn] : [])).join(" ");
  }
}

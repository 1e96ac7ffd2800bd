import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

/** Invokes the tick every minute: due jobs, expired leases, expired items. */
export class Tick extends Construct {
  constructor(scope: Construct, id: string, housekeeping: LambdaFunction) {
    super(scope, id);
    // EventBridge invokes asynchronously, and Lambda would retry a failed tick twice, at the same time as the next ticks.
    housekeeping.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, "EveryMinute", {
      description: "svc: housekeeping",
      schedule: Schedule.rate(Duration.minutes(1)),
      // A missed tick is not retried, because the next one finds the same work.
      targets: [new LambdaTarget(housekeeping, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}

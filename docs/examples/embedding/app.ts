import { join } from "node:path";
import { App, CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import { Svc } from "svc";

const app = new App();
const stack = new Stack(app, "Shop", { terminationProtection: true });

const svc = new Svc(stack, "Automation", {
  name: "shop",
  alarmEmail: "ops@example.com",
  // Any value of the app, also one that CloudFormation knows later.
  routesDomain: { name: "hooks.shop.example", certificateArn: "arn:aws:acm:us-east-1:111122223333:certificate/example" },
});

// Files that are deployed with the app. The folder has the form that `svc sync pull` writes.
svc.addScript({
  workspace: "shop",
  path: "f/orders/count",
  language: "python3",
  source: { content: "def main(orders: list):\n    return len(orders)\n" },
});
svc.addFlow({
  workspace: "shop",
  path: "f/orders/report",
  source: {
    flow: {
      summary: "Counts the orders of a week",
      value: {
        modules: [
          {
            id: "a",
            value: { type: "script", path: "f/orders/count", input_transforms: { orders: { type: "static", value: [] } } },
          },
        ],
      },
    },
  },
});
svc.addFolder(join(import.meta.dirname, "workspace"), { workspace: "shop" });

// Everything that the service consists of is a property, and other resources of the app can use it.
new Rule(stack, "Weekly", { schedule: Schedule.rate(Duration.days(7)), targets: [new SnsTopic(svc.noticesTopic)] });
new CfnOutput(stack, "AutomationUrl", { value: svc.url });
new CfnOutput(stack, "AutomationSetup", { value: svc.functions.get("setup")?.functionName ?? "" });

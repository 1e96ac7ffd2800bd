import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, list } from "../stack-rights.ts";

interface AlarmMetric {
  MetricStat?: { Metric: { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: unknown }[] } };
}
const alarms = Object.entries(aws.findResources("AWS::CloudWatch::Alarm")).map(([id, { Properties }]) => ({ id, ...Properties }));
/** The metrics of each alarm, of which CloudWatch charges each. */
const metricsOf = (alarm: (typeof alarms)[number]) =>
  alarm["Metrics"]
    ? (alarm["Metrics"] as AlarmMetric[]).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []))
    : [
        {
          Namespace: alarm["Namespace"],
          MetricName: alarm["MetricName"],
          Dimensions: alarm["Dimensions"] as { Name: string; Value: unknown }[],
        },
      ];
const watched = alarms.flatMap((alarm) => metricsOf(alarm).map((metric) => ({ ...metric, alarm: alarm.id })));
/** The ids of the resources of which an alarm watches a metric. An alarm without a dimension watches all of the region: `*`. */
const resourcesWatched = (namespace: string, name: string, dimension: string) =>
  new Set(
    watched
      .filter(({ Namespace, MetricName }) => Namespace === namespace && MetricName === name)
      .flatMap(({ Dimensions }) =>
        Dimensions ? Dimensions.flatMap(({ Name, Value }) => (Name === dimension ? [(Value as { Ref: string }).Ref] : [])) : ["*"],
      ),
  );

/** The number of metrics in alarms, of which docs/aws.md states the price. */
const PRICED_METRICS = 63;

describe("alarms", () => {
  it.each(Object.entries(aws.findResources("AWS::Lambda::Function")).map(([id, { Properties }]) => [Properties.Description, id]))(
    "an alarm covers the errors, and one the throttles, of the function %s",
    (_, id) => {
      for (const metric of ["Errors", "Throttles"]) {
        const covered = resourcesWatched("AWS/Lambda", metric, "FunctionName");
        expect([metric, covered.has(id) || covered.has("*")]).toEqual([metric, true]);
      }
    },
  );

  it("the alarm of a function's errors names the function", () => {
    const described = alarms
      .filter((alarm) => metricsOf(alarm).some(({ MetricName }) => MetricName === "Errors"))
      .map(({ AlarmDescription }) => String(AlarmDescription));
    expect(new Set(described).size).toBe(described.length);
    expect(described).toContain("svc: the function worker fails; failing scripts never cause this");
    expect(described).toContain("svc: the function runner-python3 fails; failing scripts never cause this");
  });

  it("alarms cover throttles and internal errors of both tables, and throttled writes of every index", () => {
    const tables = Object.keys(aws.findResources("AWS::DynamoDB::Table")).sort();
    for (const metric of ["ReadThrottleEvents", "WriteThrottleEvents", "SystemErrors"])
      expect([...resourcesWatched("AWS/DynamoDB", metric, "TableName")].sort()).toEqual(tables);
    const indexes = Object.values(aws.findResources("AWS::DynamoDB::Table")).flatMap(({ Properties }) =>
      (Properties.GlobalSecondaryIndexes ?? []).map(({ IndexName }: { IndexName: string }) => IndexName),
    );
    const throttled = watched.flatMap(({ MetricName, Dimensions }) =>
      MetricName === "WriteThrottleEvents"
        ? (Dimensions ?? []).flatMap(({ Name, Value }) => (Name === "GlobalSecondaryIndexName" ? [Value] : []))
        : [],
    );
    expect(throttled.sort()).toEqual(indexes.sort());
  });

  it("alarms cover the age of waiting jobs in both queues, jobs with a priority, dead letters, waiting deliveries and expired jobs that were not removed", () => {
    const queues = (metric: string) =>
      watched
        .filter(({ MetricName }) => MetricName === metric)
        .flatMap(({ Dimensions }) =>
          JSON.stringify(Dimensions).match(
            /JobQueue(?:Dead|High)|JobQueue(?=[0-9A-F]{8}")|Unremoved|TriggersDead|Deliveries(?:Dead|Fast)/g,
          ),
        );
    expect(queues("ApproximateAgeOfOldestMessage").sort()).toEqual(["DeliveriesFast", "JobQueue", "JobQueueHigh"]);
    expect(queues("ApproximateNumberOfMessagesVisible").sort()).toEqual([
      "DeliveriesDead",
      "JobQueueDead",
      "JobQueueHigh",
      "TriggersDead",
      "Unremoved",
    ]);
    expect(watched.map(({ MetricName }) => MetricName)).toContain("5XXError");
  });

  it("alarms cover failed executions, failed notices and the other outcomes that the service counts", () => {
    const counted = watched.filter(({ Namespace }) => Namespace === "svc");
    expect(counted.map(({ MetricName }) => MetricName).sort()).toEqual([
      "DeadLetters",
      "DeliveriesFailed",
      "ExecutionsFailed",
      "HousekeepingSetAside",
      "LostAttempts",
      "NoticesFailed",
      "Postponements",
      "RunnerThrottles",
    ]);
    for (const { Dimensions } of counted) expect(Dimensions).toEqual([{ Name: "service", Value: "svc" }]);
  });

  it("an alarm covers every function that recursive loop detection stops", () => {
    const [stopped] = alarms.filter((alarm) => alarm["MetricName"] === "RecursiveInvocationsDropped");
    expect(stopped).toMatchObject({ Namespace: "AWS/Lambda", Threshold: 0, Statistic: "Sum" });
    expect(stopped?.["Dimensions"]).toBeUndefined();
  });

  it("the number of metrics in alarms is the one that docs/aws.md prices, and no alarm has more than CloudWatch allows", () => {
    expect(watched).toHaveLength(PRICED_METRICS);
    for (const alarm of alarms) expect(metricsOf(alarm).length).toBeLessThanOrEqual(10);
  });

  it("alarms send a mail at their beginning and at their end", () => {
    const [topic] = Object.keys(aws.findResources("AWS::SNS::Topic", { Properties: { DisplayName: "svc alarms" } }));
    for (const { AlarmActions, OKActions } of alarms) expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    aws.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "ops@example.com" });
    aws.hasResourceProperties("AWS::SNS::TopicPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" }, Action: "sns:Publish" }),
        ]),
      },
    });
    expect(Object.keys(aStack().template.findResources("AWS::SNS::Subscription"))).toEqual([]);
  });

  it("at most five alarms roll back a deployment, and an output lists them", () => {
    const [output] = Object.values(aws.findOutputs("RollbackAlarms"));
    const ids = [...JSON.stringify(output?.["Value"]).matchAll(/"Fn::GetAtt":\["(\w+)","Arn"\]/g)].map(([, id]) => id ?? "");
    expect(ids.length).toBeGreaterThan(3);
    // The maximum of CloudFormation.
    expect(ids.length).toBeLessThanOrEqual(5);
    const names = alarms.filter(({ id }) => ids.includes(id)).map(({ AlarmDescription }) => String(AlarmDescription));
    for (const about of ["5xx", "function worker", "function step", "executions", "start a job"])
      expect(names.some((name) => name.includes(about))).toBe(true);
  });
});

describe("the dashboard", () => {
  const [dashboard] = Object.values(aws.findResources("AWS::CloudWatch::Dashboard"));
  // References to resources are irrelevant here.
  const body = JSON.parse(
    list(dashboard?.Properties.DashboardBody["Fn::Join"][1])
      .flat()
      .map((part: unknown) => (typeof part === "string" ? part : "ref"))
      .join(""),
  ) as {
    widgets: { type: string; y: number; properties: { markdown?: string; title?: string; metrics?: unknown[]; alarms?: unknown[] } }[];
  };

  it("begins with the state of every alarm", () => {
    expect(body.widgets[0]).toMatchObject({ type: "alarm", y: 0 });
    expect(body.widgets[0]?.properties.alarms).toHaveLength(alarms.length);
  });

  it("has a section for each question of an operator, with graphs in it", () => {
    const texts = body.widgets.filter(({ type }) => type === "text");
    expect(texts.map(({ properties }) => properties.markdown?.split("\n")[0])).toEqual([
      "## Is it working?",
      "## Jobs",
      "## Flows",
      "## Approvals",
      "## Limits and quotas",
      "## Costs",
    ]);
    for (const [index, { y }] of texts.entries()) {
      const next = texts[index + 1]?.y ?? Number.POSITIVE_INFINITY;
      expect(body.widgets.filter((widget) => widget.type === "metric" && widget.y > y && widget.y < next).length).toBeGreaterThan(0);
    }
  });

  it("shows the metrics of the alarms, the ends of jobs, the retries of steps and what is charged", () => {
    const text = JSON.stringify(body);
    for (const { MetricName } of watched) expect(text).toContain(MetricName);
    for (const metric of ["JobsSucceeded", "JobsFailed", "JobsCanceled", "JobsSkipped", "StepRetries", "ConsumedWriteCapacityUnits"])
      expect(text).toContain(metric);
    for (const metric of ["Duration", "IncomingBytes", "BucketSizeBytes", "ConcurrentExecutions"]) expect(text).toContain(metric);
  });

  it("lists at most the 50 metrics that CloudWatch shows for free", () => {
    const listed = new Set(body.widgets.flatMap(({ properties }) => (properties.metrics ?? []).map((metric) => JSON.stringify(metric))));
    expect(listed.size).toBeLessThanOrEqual(50);
  });
});

describe("traces", () => {
  it("X-Ray traces every function that executes no code of users, except for the pages", () => {
    const untraced = Object.values(aws.findResources("AWS::Lambda::Function"))
      .filter(({ Properties }) => Properties.TracingConfig?.Mode !== "Active")
      .map(({ Properties }) => String(Properties.Description));
    expect(untraced.filter((description) => !/^svc: (runs \w+ scripts|resolves dependencies|pages)/.test(description))).toEqual([]);
    expect(fn(aws, descriptions.worker).properties.TracingConfig).toEqual({ Mode: "Active" });
  });
});

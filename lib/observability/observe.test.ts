import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ATTENTION_THRESHOLD, attentionWeights } from "../../contract/deployment/metrics.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, list } from "../stack-rights.ts";
import { requireCoverage } from "./watches.ts";

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
describe("alarms", () => {
  it("cover the failures of every function, because the synthesis refuses a stack with another one", () => {
    const watches = [{ covers: ["worker", "deliver"] }, {}];
    expect(() => requireCoverage(["worker", "deliver", "setup"], watches)).not.toThrow();
    expect(() => requireCoverage(["worker", "deliver", "setup", "chat"], watches)).toThrow(
      "No alarm covers the failures of the function chat",
    );
    expect(() => requireCoverage(["worker", "setup"], watches)).toThrow("An alarm covers the function deliver, which does not exist.");
  });

  it("the alarm of a function's errors names the function", () => {
    const described = alarms
      .filter((alarm) => metricsOf(alarm).some(({ MetricName }) => MetricName === "Errors"))
      .map(({ AlarmDescription }) => String(AlarmDescription));
    expect(described.sort()).toEqual(
      ["housekeeping", "settle", "step", "worker"].map((name) => `svc: the function ${name} fails; failing scripts never cause this`),
    );
  });

  it("go off after any three bad minutes within a quarter of an hour, and not without data", () => {
    for (const alarm of alarms) {
      expect(alarm).toMatchObject({ EvaluationPeriods: 15, TreatMissingData: "notBreaching" });
      // Failures of jobs and flows are rare enough that one counts.
      const single = ["ExecutionsFailed", "NumberOfMessagesReceived"].includes(alarm["MetricName"]);
      expect([alarm.id, alarm["DatapointsToAlarm"]]).toEqual([alarm.id, single ? 1 : 3]);
    }
  });

  it("cover the age of the records of both streams", () => {
    const consumers = Object.values(aws.findResources("AWS::Lambda::EventSourceMapping"))
      .filter(({ Properties }) => JSON.stringify(Properties.EventSourceArn).includes("StreamArn"))
      .map(({ Properties }) => Properties.FunctionName.Ref);
    const ages = watched.filter(({ MetricName }) => MetricName === "IteratorAge").flatMap(({ Dimensions = [] }) => Dimensions);
    expect(consumers).toHaveLength(2);
    expect(ages.map(({ Value }) => (Value as { Ref: string }).Ref).sort()).toEqual(consumers.sort());
  });

  it("cover 5xx replies to callers and to runners, and requests that API Gateway itself refuses with 429", () => {
    expect(watched.map(({ MetricName }) => MetricName)).toEqual(expect.arrayContaining(["5XXError", "Url5xxCount"]));
    const [filter] = Object.values(aws.findResources("AWS::Logs::MetricFilter"));
    expect(filter?.Properties).toMatchObject({
      LogGroupName: { Ref: expect.stringMatching(/^GatewayAccessLog/) },
      FilterPattern: '{ ($.status = "429") && ($.functionMs = "-") }',
      MetricTransformations: [{ MetricNamespace: "svc/svc", MetricName: "ApiThrottles", MetricValue: "1" }],
    });
    expect(watched).toContainEqual(expect.objectContaining({ Namespace: "svc/svc", MetricName: "ApiThrottles" }));
    // The names of the fields are those of the log.
    const [stage] = Object.values(aws.findResources("AWS::ApiGateway::Stage"));
    expect(JSON.parse(stage?.Properties.AccessLogSetting.Format)).toMatchObject({
      status: "$context.status",
      functionMs: "$context.integrationLatency",
    });
  });

  it("cover throttled state transitions, and throttled functions, of the region", () => {
    expect(watched).toContainEqual(
      expect.objectContaining({
        Namespace: "AWS/States",
        MetricName: "ThrottledEvents",
        Dimensions: [{ Name: "ServiceMetric", Value: "StateTransition" }],
      }),
    );
    expect(watched.find(({ MetricName }) => MetricName === "Throttles")).toMatchObject({ Namespace: "AWS/Lambda", Dimensions: undefined });
  });

  it("cover waiting jobs and the queues of dead letters", () => {
    const queues = (metric: string) =>
      watched
        .filter(({ MetricName }) => MetricName === metric)
        .flatMap(({ Dimensions }) =>
          JSON.stringify(Dimensions).match(/JobQueue(?:Dead|High)|JobQueue(?=[0-9A-F]{8}")|TriggersDead|Deliveries(?:Dead|Fast)/g),
        );
    expect(queues("ApproximateAgeOfOldestMessage")).toEqual(["JobQueue"]);
    expect(queues("ApproximateNumberOfMessagesVisible").sort()).toEqual(["DeliveriesDead", "TriggersDead"]);
    expect(queues("NumberOfMessagesReceived")).toEqual(["JobQueueDead"]);
  });

  it("cover the outcomes that the service counts: failed executions, and the weighted sum of the others", () => {
    const counted = watched.filter(({ Namespace }) => Namespace === "svc");
    expect(counted.map(({ MetricName }) => MetricName).sort()).toEqual(["Attention", "ExecutionsFailed"]);
    for (const { Dimensions } of counted) expect(Dimensions).toEqual([{ Name: "service", Value: "svc" }]);
    const described = alarms.find(({ MetricName }) => MetricName === "Attention")?.AlarmDescription;
    for (const outcome of Object.keys(attentionWeights)) expect(described).toContain(outcome);
    // One item that is set aside, or one refused call, makes a minute bad; single failures of scripts and receivers do not.
    for (const outcome of ["HousekeepingSetAside", "TenantRefusals", "RunnerThrottles"] as const)
      expect(attentionWeights[outcome]).toBeGreaterThan(ATTENTION_THRESHOLD);
    expect(attentionWeights.LostAttempts).toBeLessThanOrEqual(ATTENTION_THRESHOLD);
  });

  it("have one metric each", () => {
    for (const alarm of alarms) expect([alarm.id, metricsOf(alarm)]).toEqual([alarm.id, [expect.anything()]]);
  });

  it("alarms send a mail when they start and when they end", () => {
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
  const withDashboard = aStack({ dashboard: true }).template;
  const [dashboard] = Object.values(withDashboard.findResources("AWS::CloudWatch::Dashboard"));
  // References to resources are irrelevant here.
  const body = JSON.parse(
    list(dashboard?.Properties.DashboardBody["Fn::Join"][1])
      .flat()
      .map((part: unknown) => (typeof part === "string" ? part : "ref"))
      .join(""),
  ) as {
    widgets: { type: string; y: number; properties: { markdown?: string; title?: string; metrics?: unknown[]; alarms?: unknown[] } }[];
  };

  it("exists only if the setting asks for it, because it costs $3 a month", () => {
    aws.resourceCountIs("AWS::CloudWatch::Dashboard", 0);
    expect(Object.keys(aws.findOutputs("*"))).not.toContain("DashboardName");
    expect(Object.keys(withDashboard.findOutputs("*"))).toContain("DashboardName");
  });

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
    for (const outcome of Object.keys(attentionWeights)) expect(text).toContain(outcome);
    for (const metric of ["ReadThrottleEvents", "WriteThrottleEvents", "RecursiveInvocationsDropped"]) expect(text).toContain(metric);
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

import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { runnerLanguages } from "../../contract/languages.ts";
import { aStack } from "../stack-fixture.ts";
import { aws } from "../stack-rights.ts";

describe("alarms", () => {
  const alarms = Object.values(aws.findResources("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);

  it("alarms cover waiting jobs of both queues, dead letters, 5xx, failing runners, failing housekeeping and counted outcomes", () => {
    const metrics = alarms.map(({ MetricName }) => MetricName);
    expect(metrics).toContain("ApproximateAgeOfOldestMessage");
    expect(metrics.filter((name) => name === "ApproximateNumberOfMessagesVisible")).toHaveLength(2);
    expect(metrics).toContain("5XXError");
    expect(metrics.filter((name) => name === "Errors")).toHaveLength(runnerLanguages.length + 1);
    const counted = alarms.filter(({ Namespace }) => Namespace === "svc");
    expect(counted.map(({ MetricName }) => MetricName).sort()).toEqual([
      "DeadLetters",
      "LostAttempts",
      "NoticesFailed",
      "Postponements",
      "RunnerThrottles",
    ]);
    for (const { Dimensions } of counted) expect(Dimensions).toEqual([{ Name: "service", Value: "svc" }]);
  });

  it("an alarm covers every function that recursive loop detection stops", () => {
    const [stopped] = alarms.filter(({ MetricName }) => MetricName === "RecursiveInvocationsDropped");
    expect(stopped).toMatchObject({ Namespace: "AWS/Lambda", Threshold: 0, Statistic: "Sum" });
    expect(stopped?.Dimensions).toBeUndefined();
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

  it("the dashboard shows the alarms' metrics, the ends of jobs and the retries of steps", () => {
    const [dashboard] = Object.values(aws.findResources("AWS::CloudWatch::Dashboard"));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    const outcomes = ["JobsSucceeded", "JobsFailed", "JobsCanceled", "JobsSkipped", "StepRetries", "LostAttempts", "RunnerThrottles"];
    const others = ["DeadLetters", "NoticesFailed", "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible", "5XXError"];
    for (const metric of [...outcomes, ...others, "Errors"]) expect(body).toContain(metric);
  });
});

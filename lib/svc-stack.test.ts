import { describe, expect, it } from "vitest";
import { env } from "../contract/env.ts";
import { aStack } from "./stack-fixture.ts";
import { aws, fn, locally, onAws } from "./stack-rights.ts";

describe("cdk-nag", () => {
  it("cdk-nag reports no finding without a recorded reason, including warnings", () => {
    expect(onAws.findings).toEqual([]);
    expect(locally.findings).toEqual([]);
    expect(
      aStack({ customDomain: { name: "svc.example.com", certificateArn: "arn:aws:acm:us-east-1:1:certificate/x", hostedZoneId: "Z" } })
        .findings,
    ).toEqual([]);
  });
});

describe("costs of an idle stack", () => {
  it("an idle stack contains only resources that docs/aws.md prices", () => {
    aws.resourceCountIs("AWS::KMS::Key", 2);
    aws.resourceCountIs("AWS::SecretsManager::Secret", 1);
    aws.resourceCountIs("AWS::CloudWatch::Dashboard", 1);
    aws.resourceCountIs("AWS::CloudWatch::Alarm", 52);
    for (const type of [
      "AWS::EC2::NatGateway",
      "AWS::EC2::VPCEndpoint",
      "AWS::Lambda::Alias",
      "AWS::WAFv2::WebACL",
      "AWS::ApiGateway::UsagePlan",
    ]) {
      aws.resourceCountIs(type, 0);
    }
    for (const { Properties } of Object.values(aws.findResources("AWS::ApiGateway::Stage")))
      expect(Properties.CacheClusterEnabled).toBeUndefined();
  });
});

describe("outputs", () => {
  it("the outputs contain the names that tools and people need", () => {
    expect(Object.keys(aws.findOutputs("*"))).toEqual(
      expect.arrayContaining([
        ...["Url", "ApiId", "UserPoolId", "JobsTable", "ObjectsTable", "Bucket", "QueueUrl", "DeadLetterQueueUrl", "SetupFunction"],
        ...[
          "HousekeepingFunction",
          "WorkerFunction",
          "DeadLetterFunction",
          "RunnerFunctions",
          "BuildFunction",
          "DashboardName",
          "HighQueueUrl",
          "DeliverFunction",
          "NoticesTopic",
        ],
      ]),
    );
  });
});

describe("functions that accept a session", () => {
  it.each([
    "svc: stored objects",
    "svc: schedules and triggers",
    "svc: lists, results",
    "svc: workspaces",
    "svc: API reference",
    "svc: approvals",
    "svc: run routes",
    "svc: streams",
  ])("%s knows its own origin, which decides whether a cookie counts", (description) => {
    for (const { template } of [onAws, locally]) {
      expect(fn(template, description).properties.Environment.Variables).toHaveProperty(env.baseUrl);
    }
  });
});

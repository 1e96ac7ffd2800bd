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
    aws.resourceCountIs("AWS::CloudWatch::Dashboard", 0);
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

const logins = Array.from({ length: 20 }, (_, index) => ({
  name: `login-${index}`,
  issuer: `https://login-${index}.example.com`,
  clientId: "svc",
  clientSecretName: `svc/login-${index}`,
}));
const domain = (name: string) => ({ name, certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/x", hostedZoneId: "Z" });
const withEveryOption = aStack({
  alarmEmail: "ops@example.com",
  dashboard: true,
  mailFrom: "svc@example.com",
  mailDomain: "in.example.com",
  logins,
  loginDomainPrefix: "svc-example",
  customDomain: domain("svc.example.com"),
  routesDomain: domain("routes.example.com"),
}).template;

describe("CloudFormation's limit of 500 resources", () => {
  const count = (template: typeof aws) => Object.keys(template.toJSON().Resources).length;

  it("the stack needs fewer than 381 resources, and with 20 logins, mail and both domains at most 421", () => {
    expect(count(aws)).toBeLessThan(381);
    expect(count(withEveryOption)).toBeLessThanOrEqual(421);
  });

  it("the rights of a role need no second resource", () => {
    for (const template of [aws, locally.template, withEveryOption]) {
      template.resourceCountIs("AWS::IAM::Policy", 0);
      template.resourceCountIs("AWS::IAM::ManagedPolicy", 0);
    }
  });
});

/** CloudFormation replaces a resource whose logical id changes: data, waiting messages and addresses would be lost. */
const stateful = {
  JobsTable10C8EDF6: "AWS::DynamoDB::Table",
  ObjectsTableEE4C5E98: "AWS::DynamoDB::Table",
  StorageBucket5CB7C8EA: "AWS::S3::Bucket",
  KeysSecretsC2A8CD45: "AWS::KMS::Key",
  KeysAnchors32D35766: "AWS::KMS::Key",
  SigningSeed24F276F9: "AWS::SecretsManager::Secret",
  PeoplePoolC64A4D1E: "AWS::Cognito::UserPool",
  JobQueue67926FCA: "AWS::SQS::Queue",
  JobQueueHigh3E164DEC: "AWS::SQS::Queue",
  JobQueueDeadLettersF6ABABE2: "AWS::SQS::Queue",
  JobsUnremoved20F7760A: "AWS::SQS::Queue",
  DeliveriesFastB57FEC77: "AWS::SQS::Queue",
  DeliveriesSlowB24F71B8: "AWS::SQS::Queue",
  DeliveriesDeadLetters27691B20: "AWS::SQS::Queue",
  TriggersQueue9DC7EE5E: "AWS::SQS::Queue",
  TriggersDeadLetters74EF38FB: "AWS::SQS::Queue",
  NoticesTopic898AF2CD: "AWS::SNS::Topic",
  GatewayRestCA0B1D03: "AWS::ApiGateway::RestApi",
  EdgeDistribution0060737B: "AWS::CloudFront::Distribution",
};

describe("resources with data, messages or an address", () => {
  it.each([
    ["by default", aws],
    ["with every option", withEveryOption],
  ])("keep their logical ids %s", (_, template) => {
    const types = new Set<string>(Object.values(stateful));
    const resources = Object.entries(template.toJSON().Resources as Record<string, { Type: string }>);
    // Distributions, keys and topics of options are additions.
    const found = resources.flatMap(([id, { Type }]) => (types.has(Type) ? [[id, Type]] : []));
    expect(Object.fromEntries(found)).toMatchObject(stateful);
    if (template === aws) expect(found).toHaveLength(Object.keys(stateful).length + 1);
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
          "RollbackAlarms",
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
    "svc: what users store",
    "svc: approvals",
    "svc: run routes",
    "svc: streams",
  ])("%s knows its own origin, which decides whether a cookie counts", (description) => {
    for (const { template } of [onAws, locally]) {
      expect(fn(template, description).properties.Environment.Variables).toHaveProperty(env.baseUrl);
    }
  });
});

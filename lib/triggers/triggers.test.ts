import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { RECEIVE_TIMEOUT_S } from "../../contract/deployment/stack-names.ts";
import { limits } from "../../contract/limits.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, list, locally, rightsOf, type Statement } from "../stack-rights.ts";

const { template: withMail, findings } = aStack({ mailDomain: "in.example.com" });
const queueIds = Object.keys(aws.findResources("AWS::SQS::Queue"));
const [queue] = queueIds.filter((id) => id.startsWith("TriggersQueue"));
const [deadLetters] = queueIds.filter((id) => id.startsWith("TriggersDeadLetters"));
const statementsOf = (name: keyof typeof descriptions, action: string): Statement[] =>
  rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => list(Action).includes(action));

describe("the queue of triggers", () => {
  it("moves a message to its dead-letter queue after the third delivery", () => {
    const { RedrivePolicy } = aws.findResources("AWS::SQS::Queue")[queue ?? ""]?.Properties ?? {};
    expect(RedrivePolicy).toEqual({ deadLetterTargetArn: { "Fn::GetAtt": [deadLetters, "Arn"] }, maxReceiveCount: limits.triggerReceives });
  });

  it("takes messages only from topics of the account and from the rules of the stack's triggers", () => {
    const [policy] = Object.values(aws.findResources("AWS::SQS::QueuePolicy")).filter(({ Properties }) =>
      JSON.stringify(Properties.Queues).includes(String(queue)),
    );
    const allowed = ((policy?.Properties.PolicyDocument.Statement ?? []) as (Statement & { Principal: { Service?: string } })[]).filter(
      ({ Effect }) => Effect === "Allow",
    );
    expect(allowed.map(({ Principal }) => Principal.Service).sort()).toEqual(["events.amazonaws.com", "sns.amazonaws.com"]);
    for (const { Condition, Principal } of allowed) {
      expect(Condition).toMatchObject({ StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } });
      const sources = JSON.stringify((Condition as { ArnLike: object }).ArnLike);
      expect(sources).toContain(Principal.Service === "sns.amazonaws.com" ? ":sns:" : ":rule/svc-trigger-*");
    }
  });

  it("hides a message for longer than the function takes", () => {
    const { VisibilityTimeout } = aws.findResources("AWS::SQS::Queue")[queue ?? ""]?.Properties ?? {};
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * RECEIVE_TIMEOUT_S);
    expect(fn(aws, descriptions.receive).properties.Timeout).toBe(RECEIVE_TIMEOUT_S);
    // The default visibility timeout of a queue, which Lambda compares with the timeout of the function.
    expect(RECEIVE_TIMEOUT_S).toBeLessThanOrEqual(30);
    expect(limits.pollMs).toBeLessThan(RECEIVE_TIMEOUT_S * 1000);
  });
});

describe("function connect", () => {
  const making = [
    "lambda:CreateEventSourceMapping",
    "lambda:UpdateEventSourceMapping",
    "sns:Subscribe",
    "events:PutRule",
    "events:PutTargets",
  ];

  it("is the only function that may create mappings, subscriptions and rules", () => {
    const holders = Object.keys(descriptions).filter((name) =>
      rightsOf(aws, descriptions[name as keyof typeof descriptions]).statements.some(({ Action }) =>
        list(Action).some((action) => making.includes(action) || /^(events|sns|lambda):\*?$/.test(action)),
      ),
    );
    expect(holders).toEqual(["connect"]);
  });

  it("maps queues to function receive only, and sends topics and events to the queue of triggers only", () => {
    const receive = { "Fn::GetAtt": [fn(aws, descriptions.receive).id, "Arn"] };
    const target = { "Fn::GetAtt": [queue, "Arn"] };
    for (const action of ["Create", "Update", "Delete"])
      expect(statementsOf("connect", `lambda:${action}EventSourceMapping`).map(({ Condition }) => Condition)).toEqual([
        { ArnEquals: { "lambda:FunctionArn": receive } },
      ]);
    expect(statementsOf("connect", "sns:Subscribe").map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { "sns:Protocol": "sqs", "sns:Endpoint": target } },
    ]);
    for (const { Condition } of statementsOf("connect", "events:PutTargets"))
      expect(Condition).toEqual({ "ForAllValues:ArnEquals": { "events:TargetArn": target }, Null: { "events:TargetArn": "false" } });
    for (const { Resource } of ["events:PutRule", "events:DeleteRule"].flatMap((action) => statementsOf("connect", action)))
      expect(JSON.stringify(Resource)).toMatch(/rule\/(\*\/)?svc-trigger-\*/);
  });
});

describe("function receive", () => {
  it("is connected to the queue of triggers by the deployment only locally; on AWS connect does that, at first use", () => {
    const mapped = (from: Template) =>
      Object.values(from.findResources("AWS::Lambda::EventSourceMapping")).some(({ Properties }) =>
        JSON.stringify(Properties.EventSourceArn).includes(String(queue)),
      );
    expect([mapped(aws), mapped(withMail), mapped(locally.template)]).toEqual([false, false, true]);
    const rights = statementsOf("receive", "sqs:ReceiveMessage").find(({ Resource }) => JSON.stringify(Resource).includes(String(queue)));
    expect(rights?.Action).toEqual(expect.arrayContaining(["sqs:DeleteMessage", "sqs:GetQueueAttributes"]));
  });

  it("reads only queues that are tagged for a workspace, and the queue of triggers", () => {
    for (const { Resource, Condition } of statementsOf("receive", "sqs:ReceiveMessage")) {
      if (JSON.stringify(Resource).includes(String(queue))) continue;
      expect(Condition).toEqual({ Null: { "aws:ResourceTag/svc:workspace": "false" } });
    }
  });
});

describe("the domain of mail triggers", () => {
  it("has one receipt rule, which scans mails and stores them where function receive reads them", () => {
    expect(findings).toEqual([]);
    withMail.hasResourceProperties("AWS::SES::ReceiptRule", {
      Rule: {
        Enabled: true,
        ScanEnabled: true,
        Recipients: ["in.example.com"],
        Actions: [{ S3Action: Match.objectLike({ ObjectKeyPrefix: "mail/" }) }],
      },
    });
    aws.resourceCountIs("AWS::SES::ReceiptRule", 0);
  });

  it("lets only the rule of the stack store mails and report them", () => {
    const policies = [
      ...Object.values(withMail.findResources("AWS::S3::BucketPolicy")),
      ...Object.values(withMail.findResources("AWS::SNS::TopicPolicy")),
    ];
    const statements = policies.flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement as (Statement & { Principal: { Service?: string } })[],
    );
    const ofSes = statements.filter(({ Principal }) => Principal.Service === "ses.amazonaws.com");
    expect(ofSes.map(({ Action }) => Action).sort()).toEqual(["s3:PutObject", "sns:Publish"]);
    for (const { Condition } of ofSes) {
      expect(Condition).toMatchObject({ StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } });
      expect(JSON.stringify(Condition)).toContain("receipt-rule-set/svc-mail:receipt-rule/triggers");
    }
    const [bucket] = Object.values(withMail.findResources("AWS::S3::Bucket"));
    const rules = bucket?.Properties.LifecycleConfiguration.Rules as { Prefix?: string; ExpirationInDays?: number }[];
    expect(rules.find(({ Prefix }) => Prefix === "mail/")?.ExpirationInDays).toBe(14);
  });
});

import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { aStack } from "../stack-fixture.ts";
import { actionsOf, aws, descriptions, fn, list, locally, rightsOf } from "../stack-rights.ts";

const queueOf = (name: string) =>
  Object.keys(aws.findResources("AWS::SQS::Queue")).find((id) => id.startsWith(`Deliveries${name}`)) ?? expect.fail(`no queue ${name}`);

describe("delivery queues", () => {
  const properties = (name: string) => aws.findResources("AWS::SQS::Queue")[queueOf(name)]?.Properties;
  const timeoutS = fn(aws, descriptions.deliver).properties.Timeout;
  const mapping = (template: Template, name: string) =>
    Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))
      .map(({ Properties }) => Properties)
      .find(({ EventSourceArn }) => JSON.stringify(EventSourceArn).includes(`"Deliveries${name}`));

  it.each(["Fast", "Slow"])(
    "a message of the queue %s returns after its claim has expired, and moves to the dead-letter queue after five attempts",
    (name) => {
      expect(properties(name)).toMatchObject({
        RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": [queueOf("DeadLetters"), "Arn"] }, maxReceiveCount: 5 },
        SqsManagedSseEnabled: true,
      });
      expect(properties(name)?.VisibilityTimeout * 1000).toBeGreaterThan(limits.deliveryHoldMs);
      expect(limits.deliveryHoldMs).toBeGreaterThan(timeoutS * 1000);
      expect(timeoutS * 1000).toBeGreaterThan(2 * limits.webhookAnswerMs);
    },
  );

  it("each lane has its own senders, and those of the slow lane wait for many receivers at once", () => {
    for (const [name, batch] of [
      ["Fast", { BatchSize: 10 }],
      ["Slow", { BatchSize: 100, MaximumBatchingWindowInSeconds: 1 }],
    ] as const) {
      expect(mapping(aws, name)).toMatchObject({
        ...batch,
        ScalingConfig: { MaximumConcurrency: 8 },
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        FunctionName: { Ref: fn(aws, descriptions.deliver).id },
      });
      expect(mapping(locally.template, name)).toMatchObject({ BatchSize: 10, ScalingConfig: { MaximumConcurrency: 4 } });
    }
  });

  it("only deliver, housekeeping and the function that replays send deliveries", () => {
    const senders = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) =>
      rightsOf(aws, descriptions[name]).statements.some(
        ({ Action, Resource }) => Action === "sqs:SendMessage" && JSON.stringify(Resource).includes("DeliveriesFast"),
      ),
    );
    expect(senders).toEqual(["people", "housekeeping", "deliver"]);
  });
});

describe("notifications", () => {
  const from = { mailFrom: "svc@example.com" };
  const mailing = aStack(from);
  const statements = (template: Template, prefix: string) =>
    rightsOf(template, descriptions.deliver).statements.filter(({ Action }) => list(Action).some((action) => action.startsWith(prefix)));

  it("only deliver publishes and mails, to one topic and from one address", () => {
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      const tells = [...rightsOf(mailing.template, descriptions[name]).actions].filter((action) => /^(sns:Publish$|ses:)/.test(action));
      expect(tells).toEqual(name === "deliver" ? ["sns:Publish", "ses:SendEmail"] : []);
    }
    const [topic] = Object.keys(mailing.template.findResources("AWS::SNS::Topic", { Properties: { DisplayName: "svc approvals" } }));
    expect(statements(mailing.template, "sns:Publish")).toMatchObject([{ Resource: { Ref: topic } }]);
    const [mails] = statements(mailing.template, "ses:");
    expect(mails?.Condition).toEqual({ StringEquals: { "ses:FromAddress": "svc@example.com" } });
    expect(JSON.stringify(mails?.Resource)).toMatch(/:identity\/svc@example.com.*:configuration-set\//);
  });

  it("deliver sends no mail without a sender, and the stack creates no identity if a verified one is configured", () => {
    expect(statements(aws, "ses:")).toEqual([]);
    aws.resourceCountIs("AWS::SES::EmailIdentity", 0);
    mailing.template.hasResourceProperties("AWS::SES::EmailIdentity", { EmailIdentity: "svc@example.com" });
    const owned = aStack({ ...from, mailIdentity: "example.com" }).template;
    owned.resourceCountIs("AWS::SES::EmailIdentity", 0);
    expect(JSON.stringify(statements(owned, "ses:"))).toContain(":identity/example.com");
    expect(mailing.findings).toEqual([]);
  });

  it("deliver reads objects, writes only notices, and uses only the keys of webhooks and chats", () => {
    const writes = statements(aws, "dynamodb:").filter(
      ({ Action, Resource }) =>
        JSON.stringify(Resource).includes("ObjectsTable") && list(Action).some((action) => /Put|Update|Delete|Write/.test(action)),
    );
    expect(writes.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      {
        Action: "dynamodb:PutItem",
        Condition: {
          "ForAllValues:StringLike": {
            "dynamodb:LeadingKeys": ["RETRIES", "WEBHOOKS#*", "MAILED#*", "DELIVERY#*", "ENDPOINT#*", "NOTICE#*"],
          },
        },
      },
    ]);
    const ofJobs = statements(aws, "dynamodb:").filter(({ Resource }) => JSON.stringify(Resource).includes("JobsTable"));
    expect(ofJobs.flatMap(({ Action }) => list(Action))).toEqual([
      "dynamodb:GetItem",
      "dynamodb:BatchGetItem",
      "dynamodb:Query",
      "dynamodb:PutItem",
    ]);
    const purposes = statements(aws, "kms:").map(({ Condition }) => Condition);
    const keysFor = (purpose: string) => ({
      StringEquals: { "kms:EncryptionContext:service": "svc", "kms:EncryptionContext:purpose": purpose },
    });
    expect(purposes).toEqual([keysFor("webhooks"), keysFor("chats")]);
    expect([...actionsOf("deliver", "s3:"), ...actionsOf("deliver", "secretsmanager:"), ...actionsOf("deliver", "states:")]).toEqual([]);
  });

  it("deliver receives only new notices and events, and reports one that could not be dispatched for 20 hours without losing the others", () => {
    const mapping = (template: Template) =>
      Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))
        .map(({ Properties }) => Properties)
        .find(
          ({ StartingPosition, EventSourceArn }) => StartingPosition !== undefined && JSON.stringify(EventSourceArn).includes("Objects"),
        );
    expect(mapping(aws)).toMatchObject({
      StartingPosition: "LATEST",
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 10_000,
      MaximumRecordAgeInSeconds: 72_000,
      DestinationConfig: { OnFailure: { Destination: { "Fn::GetAtt": [queueOf("DeadLetters"), "Arn"] } } },
    });
    const patterns = mapping(aws)?.["FilterCriteria"].Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    expect(patterns).toEqual(
      ["NOTICE#", "OUTBOX#"].map((prefix) => ({ eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix }] } } } })),
    );
    expect(mapping(locally.template)?.["BatchSize"]).toBe(1);
  });

  it("deliver receives the bounces of the mails that it sends", () => {
    mailing.template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: Match.objectLike({
        source: ["aws.ses"],
        detail: { mail: { tags: { "ses:configuration-set": [{ Ref: Match.stringLikeRegexp("Mails") }] } } },
      }),
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(mailing.template, descriptions.deliver).id, "Arn"] } })],
    });
  });
});

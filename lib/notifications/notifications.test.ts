import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { aStack } from "../stack-fixture.ts";
import { actionsOf, aws, descriptions, fn, list, locally, rightsOf } from "../stack-rights.ts";

describe("notifications", () => {
  const from = { mailFrom: "svc@example.com" };
  const mailing = aStack(from);
  const statements = (template: Template, prefix: string) =>
    rightsOf(template, descriptions.deliver).statements.filter(({ Action }) => list(Action).some((action) => action.startsWith(prefix)));

  it("only deliver publishes and mails, to one topic and from one address", () => {
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      const tells = [...rightsOf(mailing.template, descriptions[name]).actions].filter((action) => /^(sns|ses):/.test(action));
      expect(tells).toEqual(name === "deliver" ? ["sns:Publish", "ses:SendEmail"] : []);
    }
    const [topic] = Object.keys(mailing.template.findResources("AWS::SNS::Topic", { Properties: { DisplayName: "svc approvals" } }));
    expect(statements(mailing.template, "sns:")).toMatchObject([{ Resource: { Ref: topic } }]);
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

  it("deliver reads objects, writes only notices, and uses only the keys of webhooks", () => {
    const writes = statements(aws, "dynamodb:").filter(
      ({ Action, Resource }) =>
        JSON.stringify(Resource).includes("ObjectsTable") && list(Action).some((action) => /Put|Update|Delete|Write/.test(action)),
    );
    expect(writes.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      {
        Action: ["dynamodb:PutItem", "dynamodb:DeleteItem"],
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["RETRIES"] } },
      },
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["WEBHOOKS#*"] } } },
    ]);
    const ofJobs = statements(aws, "dynamodb:").filter(({ Resource }) => JSON.stringify(Resource).includes("JobsTable"));
    expect(ofJobs.flatMap(({ Action }) => list(Action))).toEqual(["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:PutItem"]);
    const purposes = statements(aws, "kms:").map(({ Condition }) => Condition);
    expect(purposes).toEqual([{ StringEquals: { "kms:EncryptionContext:service": "svc", "kms:EncryptionContext:purpose": "webhooks" } }]);
    expect([...actionsOf("deliver", "s3:"), ...actionsOf("deliver", "secretsmanager:"), ...actionsOf("deliver", "states:")]).toEqual([]);
  });

  it("deliver receives only new notices, and drops one that cannot be delivered without losing the others", () => {
    const mapping = (template: Template) =>
      Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))
        .map(({ Properties }) => Properties)
        .find(({ StartingPosition }) => StartingPosition !== undefined);
    expect(mapping(aws)).toMatchObject({
      StartingPosition: "LATEST",
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 20,
      MaximumRecordAgeInSeconds: 3600,
    });
    const pattern = JSON.parse(mapping(aws)?.["FilterCriteria"].Filters[0].Pattern);
    expect(pattern).toEqual({ eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix: "NOTICE#" }] } } } });
    expect(mapping(locally.template)?.["BatchSize"]).toBe(1);
  });

  it("deliver receives the bounces of its own mails", () => {
    mailing.template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: Match.objectLike({
        source: ["aws.ses"],
        detail: { mail: { tags: { "ses:configuration-set": [{ Ref: Match.stringLikeRegexp("Mails") }] } } },
      }),
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(mailing.template, descriptions.deliver).id, "Arn"] } })],
    });
  });
});

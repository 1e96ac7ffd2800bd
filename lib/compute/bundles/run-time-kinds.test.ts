import { describe, expect, it } from "vitest";
import { type RunTimeKindName, runTimeKinds } from "../../../engine/commands/destroy/run-time-kinds.ts";
import { aStack } from "../../stack-fixture.ts";
import { list, statementsOf } from "../../stack-rights.ts";

const { template } = aStack({ mailDomain: "in.example.com", mailFrom: "approvals@example.com" });

/** Rights that change nothing, remove something, or end existing resources. */
const READS = /:(Get|List|Describe|BatchGet|Query|Scan|Check|Condition|Verify|Test|Decrypt|Receive)/;
const REMOVALS = /:(Delete|Remove|AdminDelete|Unsubscribe|Stop|Abort)/;

/**
 * The effect of each right: a kind of resources that `aws:destroy` removes, something inside a resource of the stack, which is removed with that
 * resource, or nothing that lasts.
 */
const created: Record<string, RunTimeKindName | "inside" | "nothing"> = {
  "states:CreateStateMachine": "machines",
  "states:TagResource": "machines",
  "lambda:CreateEventSourceMapping": "mappings",
  "lambda:UpdateEventSourceMapping": "mappings",
  "sns:Subscribe": "subscriptions",
  "events:PutRule": "rules",
  "events:PutTargets": "rules",
  "events:TagResource": "rules",
  "cognito-idp:AdminCreateUser": "inside",
  "cognito-idp:AdminSetUserPassword": "inside",
  "dynamodb:BatchWriteItem": "inside",
  "dynamodb:PutItem": "inside",
  "dynamodb:UpdateItem": "inside",
  "s3:PutObject": "inside",
  "logs:CreateLogStream": "inside",
  "logs:PutLogEvents": "inside",
  "sqs:ChangeMessageVisibility": "inside",
  "sqs:SendMessage": "inside",
  // Executions are removed with their machine.
  "states:StartExecution": "inside",
  "states:SendTaskSuccess": "inside",
  "cognito-idp:AdminInitiateAuth": "nothing",
  "iam:PassRole": "nothing",
  "kms:GenerateDataKey": "nothing",
  "kms:GenerateMac": "nothing",
  "lambda:InvokeFunction": "nothing",
  "ses:SendEmail": "nothing",
  "sns:Publish": "nothing",
  // X-Ray keeps traces for 30 days.
  "xray:PutTelemetryRecords": "nothing",
  "xray:PutTraceSegments": "nothing",
};

describe("a resource that a function creates at run time", () => {
  const granted = new Set(
    Object.values(template.findResources("AWS::IAM::Role")).flatMap(({ Properties }) =>
      statementsOf(Properties).flatMap(({ Action }) => list(Action)),
    ),
  );

  it("is removed with the stack, whichever right of a function creates it", () => {
    const making = [...granted].filter((action) => !READS.test(action) && !REMOVALS.test(action));
    // A new right that creates a resource needs a kind in engine/commands/destroy/run-time-kinds.ts, unless it creates something inside another one.
    expect(making.sort()).toEqual(Object.keys(created).sort());
  });

  it("is of each kind that aws:destroy removes", () => {
    const kinds = new Set(Object.values(created).filter((kind) => kind !== "inside" && kind !== "nothing"));
    expect([...kinds].sort()).toEqual(Object.keys(runTimeKinds).sort());
  });
});

import { expect, it } from "vitest";
import { describeSetup } from "./setup.ts";
import { newTrigger, type TriggerValues } from "./trigger.ts";

const setup = { partition: "aws", region: "eu-west-1", account: "123456789012", allowed_sources: [] };
const commandsOf = (values: Partial<TriggerValues>, more = {}) =>
  describeSetup("demo", { ...newTrigger, ...values }, { ...setup, ...more })?.steps.map(({ command }) => command);

it("a queue is created and tagged for its workspace", () => {
  const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";
  expect(commandsOf({ kind: "queue", queueUrl })).toEqual([
    `aws sqs create-queue --queue-name orders --tags '{"svc:workspace":"demo"}' --region eu-west-1`,
    `aws sqs tag-queue --queue-url ${queueUrl} --tags '{"svc:workspace":"demo"}' --region eu-west-1`,
    `aws sqs list-queue-tags --queue-url ${queueUrl} --region eu-west-1`,
  ]);
});

it("an ordered queue is created as one", () => {
  expect(commandsOf({ kind: "queue", queueUrl: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders.fifo" })?.[0]).toBe(
    `aws sqs create-queue --queue-name orders.fifo --attributes '{"FifoQueue":"true"}' --tags '{"svc:workspace":"demo"}' --region eu-west-1`,
  );
});

it("a queue without a URL, and one of another account, has no commands", () => {
  expect(commandsOf({ kind: "queue", queueUrl: "orders" })).toBeUndefined();
  const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";
  expect(commandsOf({ kind: "queue", queueUrl, resource: "f/ops/keys" })).toBeUndefined();
});

it("a topic is created, and named for the superadmins by its ARN", () => {
  const topicArn = "arn:aws:sns:eu-west-1:123456789012:orders";
  expect(describeSetup("demo", { ...newTrigger, kind: "topic", topicArn }, setup)).toMatchObject({ arn: topicArn });
  expect(commandsOf({ kind: "topic", topicArn })).toEqual([
    "aws sns create-topic --name orders --region eu-west-1",
    "aws sns publish --topic-arn arn:aws:sns:eu-west-1:123456789012:orders --message test --region eu-west-1",
  ]);
});

it("an event bus has the ARN of this deployment, and the bus default exists already", () => {
  const china = { ...setup, partition: "aws-cn", region: "cn-north-1" };
  expect(describeSetup("demo", { ...newTrigger, kind: "bus", bus: "" }, china)?.arn).toBe(
    "arn:aws-cn:events:cn-north-1:123456789012:event-bus/default",
  );
  expect(commandsOf({ kind: "bus", bus: "shop" })).toEqual([
    "aws events create-event-bus --name shop --region eu-west-1",
    `aws events put-events --entries '[{"EventBusName":"shop","Source":"test","DetailType":"test","Detail":"{}"}]' --region eu-west-1`,
  ]);
  expect(commandsOf({ kind: "bus", bus: "" })).toHaveLength(1);
});

it("a bucket sends its events to EventBridge", () => {
  expect(commandsOf({ kind: "bucket", bucket: "incoming" })).toEqual([
    "aws s3api get-bucket-notification-configuration --bucket incoming --region eu-west-1",
    `aws s3api put-bucket-notification-configuration --bucket incoming --notification-configuration '{"EventBridgeConfiguration":{}}' --region eu-west-1`,
  ]);
});

it("mails need the domain and the rules of the deployment", () => {
  expect(commandsOf({ kind: "mail" })).toBeUndefined();
  expect(commandsOf({ kind: "mail" }, { mail_domain: "in.example.com", mail_rule_set: "svc-mail" })).toEqual([
    "aws sesv2 create-email-identity --email-identity in.example.com --region eu-west-1",
    "aws ses set-active-receipt-rule-set --rule-set-name svc-mail --region eu-west-1",
  ]);
});

it("a text of the form cannot end its word of the command", () => {
  expect(commandsOf({ kind: "bucket", bucket: "a'; rm -rf / #" })?.[0]).toBe(
    `aws s3api get-bucket-notification-configuration --bucket 'a'\\''; rm -rf / #' --region eu-west-1`,
  );
});

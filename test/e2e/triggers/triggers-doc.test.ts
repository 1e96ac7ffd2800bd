import { randomUUID } from "node:crypto";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { CreateTopicCommand, PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { CreateQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

const config = () => ({
  endpoint: shared().endpoint,
  region: engineCredentials.AWS_REGION,
  credentials: { accessKeyId: engineCredentials.AWS_ACCESS_KEY_ID, secretAccessKey: engineCredentials.AWS_SECRET_ACCESS_KEY },
});

/** Waits for the job that a trigger starts, and returns its result. */
async function resultOf(ws: Workspace, trigger: string): Promise<unknown> {
  const [job] = await until(
    async () => {
      const jobs = (await ws.get("jobs/completed/list", { trigger_path: trigger })).json as { id: string }[];
      return jobs.length > 0 ? jobs : undefined;
    },
    { timeoutMs: 60_000, what: `a job of ${trigger}` },
  );
  return (await ws.completed(job?.id ?? ""))["result"];
}

const RAW = ["From: Ann <ann@example.com>", "Subject: Hello", "Content-Type: text/plain", "", "How are you?", ""].join("\r\n");

it("docs/triggers.md: every example starts the jobs that the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  const { sqs, s3 } = awsClients();
  const [sns, events] = [new SNSClient(config()), new EventBridgeClient(config())];
  const name = `doc-${randomUUID().slice(0, 8)}`;
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: name, tags: { "svc:workspace": ws.id } }));
  const { TopicArn = "" } = await sns.send(new CreateTopicCommand({ Name: name }));
  const instead = [
    ["https://sqs.eu-west-1.amazonaws.com/123456789012/orders", QueueUrl],
    ["arn:aws:sns:eu-west-1:123456789012:orders", TopicArn],
    ["arn:aws:events:eu-west-1:123456789012", "arn:aws:events:us-east-1:000000000000"],
  ] as const;
  const shown = (await readAloud(readings.triggers, { workspace: ws.id, instead })).join("");
  expect(shown).toContain(`"queue_url":"${QueueUrl}"`);
  expect(shown).toContain(`"address":"${ws.id}-inbox@in.svc.localhost"`);
  for (const kind of ["sqs", "aws", "email"]) {
    const listed = (await ws.get(`${kind}_triggers/list`)).json as { error?: string }[];
    expect(listed.filter(({ error }) => error !== undefined)).toEqual([]);
  }
  expect((await ws.get("kafka_triggers/list")).json).toEqual([]);
  expect((await ws.get("kafka_triggers/get/f/examples/orders")).status).toBe(404);

  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"order": 17}' }));
  const attributes = { priority: { DataType: "String", StringValue: "high" } };
  await sns.send(new PublishCommand({ TopicArn, Message: "from a topic", MessageAttributes: attributes }));
  const entry = { Source: "shop", DetailType: "Order placed", Detail: JSON.stringify({ order: 18 }) };
  await events.send(new PutEventsCommand({ Entries: [entry] }));
  // The engine receives no mail: the raw mail lies where SES puts it, and SES's notification is sent.
  const objectKey = `mail/${randomUUID()}`;
  await s3.send(new PutObjectCommand({ Bucket: shared().outputs["Bucket"], Key: objectKey, Body: RAW }));
  const notification = {
    notificationType: "Received",
    mail: { messageId: objectKey.slice(5) },
    receipt: {
      recipients: [`${ws.id}-inbox@in.svc.localhost`],
      spamVerdict: { status: "PASS" },
      virusVerdict: { status: "PASS" },
      action: { type: "S3", objectKey },
    },
  };
  await sns.send(new PublishCommand({ TopicArn: shared().outputs["MailTopic"], Message: JSON.stringify(notification) }));

  expect(await resultOf(ws, "f/examples/orders")).toEqual({ order: 17 });
  expect(await resultOf(ws, "f/examples/topic")).toBe("from a topic");
  expect(await resultOf(ws, "f/examples/bus")).toMatchObject({ source: "shop", detail: { order: 18 } });
  expect(await resultOf(ws, "f/examples/inbox")).toEqual(["Hello", "How are you?"]);
  for (const [kind, trigger] of [
    ["sqs", "orders"],
    ["aws", "topic"],
    ["aws", "bus"],
    ["email", "inbox"],
  ]) {
    expectStatus(await ws.call("DELETE", `${kind}_triggers/delete/f/examples/${trigger}`), 200);
  }
});

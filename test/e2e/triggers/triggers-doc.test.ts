import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { CreateTopicCommand, PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { CreateQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { toFiles } from "../../../core/sync/files/layout.ts";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsTriggersWithEveryField, itemsWithEveryField } from "../../support/cli/every-field.ts";
import { installCli } from "../../support/cli/installed-cli.ts";
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

/** The command line of another product has no triggers of topics, buses and buckets. This file alone changes the setting that allows their sources. */
it("svc sends every field of triggers of topics, buses and buckets, finds no change, and pulls the same bytes", async () => {
  const [ws, svc] = await Promise.all([newWorkspace(), installCli()]);
  const root = mkdtempSync(join(tmpdir(), "svc-aws-triggers-"));
  try {
    const { TopicArn = "" } = await new SNSClient(config()).send(new CreateTopicCommand({ Name: ws.id }));
    const allowed = [TopicArn, "arn:aws:events:us-east-1:000000000000:event-bus/default", "arn:aws:s3:::incoming"];
    expectStatus(await ws.api.post("settings/global/aws_trigger_sources", { value: { [ws.id]: allowed } }), 200);
    const username = ((await ws.get("users/whoami")).json as { username: string }).username;
    const every = itemsWithEveryField({ id: ws.id, username, email: "", queueUrl: "" });
    const needed = every.filter(({ path }) => path === "full" || path === "f/full/handler").filter(({ kind }) => kind !== "group");
    const triggers = awsTriggersWithEveryField(TopicArn);
    const layout = { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} } as const;
    const files = new Map([...needed, ...triggers].flatMap((item) => [...toFiles(item, layout)]));
    files.set("svc.yaml", "includes: [f/full/**]\nincludeTriggers: true\n");
    const [checkout, other] = [join(root, "sent"), join(root, "pulled")];
    for (const [file, text] of files) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      writeFileSync(join(checkout, file), text);
    }
    mkdirSync(other);
    writeFileSync(join(other, "svc.yaml"), files.get("svc.yaml") ?? "");
    const env = { SVC_URL: shared().url, SVC_TOKEN: shared().token, SVC_WORKSPACE: ws.id };
    expect(await svc.run(["sync", "push", "--yes", "--wait"], { cwd: checkout, env })).toMatchObject({ code: 0 });
    const plan = await svc.run(["sync", "plan", "--json"], { cwd: checkout, env });
    expect([plan.code, JSON.parse(plan.stdout)]).toEqual([0, { changes: [] }]);
    expect(await svc.run(["sync", "pull", "--yes"], { cwd: other, env })).toMatchObject({ code: 0 });
    for (const file of files.keys()) if (file.includes("_trigger")) expect(readFileSync(join(other, file), "utf8")).toBe(files.get(file));
    for (const { path } of triggers) expectStatus(await ws.call("DELETE", `aws_triggers/delete/${path}`), 200);
  } finally {
    svc.remove();
    rmSync(root, { recursive: true, force: true });
  }
});

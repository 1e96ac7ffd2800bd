import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import type { DeliveryMessage } from "../../../core/deliveries/message.ts";
import { buildPartName, type Delivery } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import { readMail, type SentMail } from "../../../engine/front/mailbox.ts";
import { shared } from "../api/api.ts";
import { awsClients } from "../engine/aws.ts";
import { until } from "../until.ts";

const documents = () => DynamoDBDocumentClient.from(awsClients().dynamodb);
const table = () => shared().outputs["ObjectsTable"];
const expiresAtS = () => Math.ceil(Date.now() / 1000) + 3600;

/** A notice as a gate's change writes it, for an existing job. */
export function aNotice(of: Pick<GateNotice, "workspace" | "flow"> & Partial<GateNotice>): GateNotice {
  return {
    id: randomUUID(),
    what: "opened",
    gate: randomUUID(),
    root: of.flow,
    module: "b",
    step: "Check the amount",
    kind: "consent",
    requestedBy: "ann",
    people: [],
    channel: "email",
    required: 1,
    atMs: Date.now(),
    ...of,
  };
}

export async function writeNotice(notice: GateNotice): Promise<void> {
  await documents().send(
    new PutCommand({ TableName: table(), Item: { ...noticeObject.key(notice.workspace, notice.id), v: notice, ttl: expiresAtS() } }),
  );
}

/** Writes a notice with a mail whose sender died: its attempt is no longer reserved, and its message returns to the queue. */
export async function leaveUnsent(notice: GateNotice, to: string): Promise<void> {
  const { workspace, flow, id, gate, what, atMs } = notice;
  const part = { channel: "email" as const, to };
  const delivery: Delivery = { ...part, gate, what, state: "pending", attempts: 1, atMs, heldUntilMs: atMs };
  const sk = `delivery#${id}#${buildPartName(part)}`;
  const Item = { pk: flow, sk, j: JSON.stringify({ version: 1, ...delivery }), v: 1, ttl: expiresAtS() };
  await documents().send(new PutCommand({ TableName: shared().outputs["JobsTable"], Item }));
  await writeNotice(notice);
  const message: DeliveryMessage = { kind: "notice", workspace, notice: id, ...part, after: 0 };
  const QueueUrl = shared().outputs["DeliveryQueueUrl"];
  await awsClients().sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
}

/** Waits until the list of pending approvals contains a gate. */
export async function writePending({ workspace, gate }: Pick<GateNotice, "workspace" | "gate">): Promise<void> {
  await documents().send(
    new PutCommand({ TableName: table(), Item: { ...pendingGateObject.key(workspace, gate), v: {}, ttl: expiresAtS() } }),
  );
}

/** The deliveries of a notice by channel and receiver. */
export async function deliveries({ flow, id }: Pick<GateNotice, "flow" | "id">): Promise<Delivery[]> {
  const { Items = [] } = await documents().send(
    new QueryCommand({
      TableName: shared().outputs["JobsTable"],
      KeyConditionExpression: "pk = :flow and begins_with(sk, :notice)",
      ExpressionAttributeValues: { ":flow": flow, ":notice": `delivery#${id}#` },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ j }) => JSON.parse(j) as Delivery).sort((a, b) => `${a.channel}${a.to}`.localeCompare(`${b.channel}${b.to}`));
}

/** Waits until this number of deliveries of one channel have ended, and returns them. */
export function ended(notice: GateNotice, channel: Delivery["channel"], count = 1): Promise<Delivery[]> {
  return until(
    async () => {
      const found = (await deliveries(notice)).filter((one) => one.channel === channel && (one.state === "sent" || one.state === "failed"));
      return found.length >= count ? found : undefined;
    },
    { what: `${count} ended deliveries by ${channel}` },
  );
}

/** Waits until a delivery has a state. */
export function delivery(notice: GateNotice, channel: Delivery["channel"], state: Delivery["state"], attempts: number): Promise<Delivery> {
  return until(
    async () => (await deliveries(notice)).find((one) => one.channel === channel && one.state === state && one.attempts === attempts),
    { what: `delivery by ${channel} ${state} after ${attempts} attempts` },
  );
}

/** The mails to an address, oldest first. */
export async function mailsTo(address: string): Promise<SentMail[]> {
  return (await readMail(shared().endpoint)).filter(({ to }) => to.includes(address));
}

interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A webhook receiver that stores all requests. `replies`: the next responses, each optionally `after` an event. Default: 204. */
export async function startReceiver() {
  const receivedRequests: ReceivedRequest[] = [];
  const replies: { status: number; headers?: Record<string, string>; after?: Promise<unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receivedRequests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    const { status, headers = {}, after } = replies.shift() ?? { status: 204 };
    await after;
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    receivedRequests,
    replies,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

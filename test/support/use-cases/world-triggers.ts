import { randomUUID } from "node:crypto";
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { eventRules } from "../../../aws/eventbridge/rules.ts";
import { subscriptions } from "../../../aws/sns/subscriptions.ts";
import { sourceQueues } from "../../../aws/sqs/source-queues.ts";
import { env } from "../../../contract/env.ts";
import type { TriggerKind } from "../../../contract/routes/triggers/trigger-kind.ts";
import { changedTriggerSchemas, type NewTrigger, newTriggerSchemas } from "../../../contract/routes/triggers/trigger-kinds.ts";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import { scriptHeadObject, scriptVersionObject } from "../../../core/scripts/version.ts";
import type { ConnectSources, PollCall } from "../../../core/triggers/connect-call.ts";
import { connectSources, findSourceFault } from "../../../services/triggers/connect.ts";
import { pollQueues } from "../../../services/triggers/receive/poll-queues.ts";
import { type ReceivedRecord, receiveRecords } from "../../../services/triggers/receive/receive-records.ts";
import { createTrigger, updateTrigger } from "../../../services/triggers/save.ts";
import { newWorld } from "./world.ts";
import { addWorkspace } from "./world-jobs.ts";
import { anAdmin } from "./world-people.ts";

/** The account and region of the local engine. */
const PLACE = { account: "000000000000", region: "us-east-1", queueArnPrefix: "arn:aws:sqs:us-east-1:000000000000:", isLocal: true };
export const MAIL_DOMAIN = "in.example.com";
export const MAIL_TOPIC = "arn:aws:sns:us-east-1:000000000000:mails";

/**
 * A world with the queue of triggers. SQS, SNS and EventBridge are those of the engine; mappings are recorded, because no function is deployed.
 */
export async function newTriggerWorld() {
  const world = await newWorld();
  await addWorkspace(world);
  const sqs = new SQSClient({});
  const name = randomUUID().slice(0, 8);
  const addQueue = async (queue: string, tags: Record<string, string> = {}, attributes: Record<string, string> = {}) => {
    const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: queue, tags, Attributes: attributes }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
    return { url: QueueUrl, arn: Attributes?.["QueueArn"] ?? "" };
  };
  const own = await addQueue(`triggers-${name}`);
  const dead = await addQueue(`dead-${name}`);
  process.env[env.triggerQueueArn] = own.arn;
  process.env[env.triggerDeadLetterUrl] = dead.url;
  /** The concurrency of each mapping. */
  const mappings = new Map<string, number>();
  const connectDeps: Parameters<typeof connectSources>[0] = {
    objects: world.deps.objects,
    queues: sourceQueues,
    mappings: {
      findMapping: async (arn) => (mappings.has(arn) ? { id: arn, isDeleting: false, maximumConcurrency: mappings.get(arn) } : undefined),
      createMapping: async (arn, concurrency) => void mappings.set(arn, concurrency),
      updateMapping: async (id, concurrency) => void mappings.set(id, concurrency),
      deleteMapping: async (id) => void mappings.delete(id),
    },
    rules: eventRules,
    subscriptions,
    place: PLACE,
    triggerQueueArn: own.arn,
    triggerConcurrency: 25,
    mailDomain: undefined,
    stack: `t${name}`,
    receiveTimeoutS: 30,
    nowMs: world.deps.nowMs,
  };
  const polls: PollCall[] = [];
  const connected: ConnectSources[] = [];
  const sources = {
    checkSource: (call: Parameters<typeof findSourceFault>[1]) => findSourceFault(connectDeps, call),
    invokeConnect: async (call: ConnectSources) => {
      connected.push(call);
      await connectSources(connectDeps, call);
    },
  };
  const functions = {
    startConnecting: async (call: ConnectSources) => void (await connectSources(connectDeps, call)),
    startPolling: async (call: PollCall) => void polls.push(call),
  };
  const deps = {
    ...world.deps,
    functions: { ...world.deps.functions, ...functions },
    sources,
    mailDomain: MAIL_DOMAIN,
    queues: sourceQueues,
    toQueueUrl: (queue: string) => `https://sqs.${PLACE.region}.amazonaws.com/${PLACE.account}/${queue}`,
    ownQueueArn: own.arn,
    mailTopicArn: MAIL_TOPIC,
    isLocal: true,
  };
  const caller = (kind: TriggerKind, path: string, by: WorkspaceCaller["actor"] = anAdmin) => ({
    actor: by,
    workspace: world.workspace,
    kind,
    path,
  });
  return {
    ...world,
    deps,
    mappings,
    polls,
    connected,
    sqs,
    addQueue,
    caller,
    connectDeps,
    /** Adds a script, which runs as the world's runs do. */
    async addRunnable(path = `f/t/${randomUUID()}`, preprocessor = false): Promise<string> {
      const hash = randomUUID().replaceAll("-", "").slice(0, 16);
      const head = {
        ...{ workspace: world.workspace, path, hash, language: "bun", runner: "bun", params: null, timeoutS: 60, tag: "bun" },
        ...{ dedicated: false, archived: false, deleted: false, ...(preprocessor ? { preprocessor: { params: ["event"] } } : {}) },
      };
      const build = { state: "ready", key: `artefacts/${hash}.zip`, sha256: hash };
      await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, path), value: head, build });
      await world.deps.objects.put({ ...scriptVersionObject.key(world.workspace, hash), value: head, build });
      return path;
    },
    create: (kind: TriggerKind, sent: object, by?: WorkspaceCaller["actor"]) => {
      const body = newTriggerSchemas[kind].parse(sent) as NewTrigger;
      return createTrigger(deps, caller(kind, body.path, by), body);
    },
    update: (kind: TriggerKind, path: string, sent: object, by?: WorkspaceCaller["actor"]) =>
      updateTrigger(deps, caller(kind, path, by), changedTriggerSchemas[kind].parse(sent) as NewTrigger),
    /** Reads a queue as an event source mapping does. Returns the ids of the messages that failed. */
    async drain({ url, arn }: { url: string; arn: string }): Promise<string[]> {
      const records: ReceivedRecord[] = [];
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: 10,
            WaitTimeSeconds: 1,
            MessageSystemAttributeNames: ["All"],
            MessageAttributeNames: ["All"],
          }),
        );
        if (Messages.length === 0) break;
        records.push(
          ...Messages.map(({ MessageId = "", Body = "", ReceiptHandle = "", Attributes = {}, MessageAttributes = {} }) => ({
            id: MessageId,
            body: Body,
            receiptHandle: ReceiptHandle,
            queueArn: arn,
            attributes: Attributes as Record<string, string>,
            messageAttributes: Object.fromEntries(
              Object.entries(MessageAttributes).map(([key, { DataType = "", StringValue }]) => [
                key,
                { dataType: DataType, stringValue: StringValue },
              ]),
            ),
          })),
        );
      }
      return receiveRecords(deps, records);
    },
    /** Handles one message of a queue, which has arrived `count` times. */
    receive: (arn: string, body: string, { id = randomUUID() as string, count = 1 } = {}) =>
      receiveRecords(deps, [
        { id, body, receiptHandle: "r", queueArn: arn, attributes: { ApproximateReceiveCount: String(count) }, messageAttributes: {} },
      ]),
    poll: () => Promise.all(polls.splice(0).map((call) => pollQueues(deps, call))),
    send: (url: string, body: string) => sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body })),
    own,
    dead,
    async deadLetters(): Promise<string[]> {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: dead.url, MaxNumberOfMessages: 10 }));
      return Messages.map(({ Body = "" }) => Body);
    },
  };
}
export type TriggerWorld = Awaited<ReturnType<typeof newTriggerWorld>>;

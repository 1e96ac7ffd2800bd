import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListQueueTagsCommand,
  type Message,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { defined, mapDefined } from "../../contract/defined.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { QueueMessage } from "../../core/triggers/events.ts";
import type { QueueFacts, QueueKeys, RemoteQueue, SourceQueues } from "../../ports/queues.ts";
import { sqs } from "../sdk/clients.ts";
import { countRequests } from "../sdk/request-counts.ts";

/** The maximum size of a message. */
const MESSAGE_BYTES = 1024 * 1024;

export const sourceQueues = {
  /** Returns the facts about a queue, or `undefined` if there is none. */
  async describeQueue(url: string): Promise<QueueFacts | undefined> {
    try {
      const [{ Attributes = {} }, { Tags = {} }] = await Promise.all([
        sqs().send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn", "VisibilityTimeout"] })),
        sqs().send(new ListQueueTagsCommand({ QueueUrl: url })),
      ]);
      return { arn: Attributes["QueueArn"] ?? "", tags: Tags, visibilityTimeoutS: Number(Attributes["VisibilityTimeout"]) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  },
  /** Returns the tags of a queue, or `undefined` if there is none. */
  async listTags(url: string): Promise<Readonly<Record<string, string>> | undefined> {
    try {
      return (await sqs().send(new ListQueueTagsCommand({ QueueUrl: url }))).Tags ?? {};
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  },
  /** Sends a message that failed too often to the dead-letter queue of triggers. `origin` becomes its attributes, if they fit. */
  async sendDeadLetter(body: string, origin: Readonly<Record<string, string>>): Promise<void> {
    const MessageAttributes = Object.fromEntries(
      Object.entries(origin).map(([name, StringValue]) => [name, { DataType: "String", StringValue }]),
    );
    const message = { QueueUrl: requireEnv(env.triggerDeadLetterUrl), MessageBody: body };
    // Attributes count towards the maximum size of a message.
    const fits = Buffer.byteLength(body) + Buffer.byteLength(JSON.stringify(origin)) + 1000 < MESSAGE_BYTES;
    await sqs().send(new SendMessageCommand(fits ? { ...message, MessageAttributes } : message));
  },
  /** Opens a queue with access keys. The region decides the endpoint, so the URL of the queue reaches no other host than SQS. */
  openQueue(url: string, { region, accessKeyId, secretAccessKey, sessionToken }: QueueKeys): RemoteQueue {
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
    const client = countRequests(
      new SQSClient({ ...(region ? { region } : {}), credentials, useQueueUrlAsEndpoint: false, maxAttempts: 2 }),
    );
    return {
      async receiveMessages(waitS) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: 10,
            WaitTimeSeconds: waitS,
            MessageSystemAttributeNames: ["All"],
            MessageAttributeNames: ["All"],
          }),
        );
        return Messages.map(toQueueMessage);
      },
      async deleteMessage(ReceiptHandle) {
        await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
      },
      close: () => client.destroy(),
    };
  },
} satisfies SourceQueues;

const isAbsent = (error: unknown) =>
  error instanceof QueueDoesNotExist || (error as Error).name === "AWS.SimpleQueueService.NonExistentQueue";

function toQueueMessage({ MessageId = "", Body = "", ReceiptHandle = "", Attributes = {}, MessageAttributes = {} }: Message): QueueMessage {
  return {
    id: MessageId,
    body: Body,
    receiptHandle: ReceiptHandle,
    attributes: Attributes as Record<string, string>,
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { DataType = "String", StringValue, BinaryValue }]) => [
        name,
        {
          dataType: DataType,
          ...defined({
            stringValue: StringValue,
            binaryBase64: mapDefined(BinaryValue, (bytes) => Buffer.from(bytes).toString("base64")),
          }),
        },
      ]),
    ),
  };
}

import type { SNSClient } from "@aws-sdk/client-sns";
import { env, requireEnv } from "../../contract/env.ts";
import { type Attempt, sentAttempt } from "../../core/deliveries/attempt.ts";
import type { NoticePublisher } from "../../ports/senders.ts";
import { countRequests } from "../sdk/request-counts.ts";

const sdk = () => import("@aws-sdk/client-sns");
let cachedClient: Promise<SNSClient> | undefined;
function sns(): Promise<SNSClient> {
  cachedClient ??= sdk().then(({ SNSClient }) => countRequests(new SNSClient({})));
  return cachedClient;
}

/** The topic that receives the notices of all gates. */
export const topic = {
  /** Publishes a message. Subscriptions can filter by `attributes`. */
  async publish(message: string, attributes: Record<string, string>): Promise<Attempt> {
    const { PublishCommand } = await sdk();
    const MessageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: "String", StringValue }]),
    );
    await (await sns()).send(new PublishCommand({ TopicArn: requireEnv(env.noticesTopic), Message: message, MessageAttributes }));
    return sentAttempt;
  },
} satisfies NoticePublisher;

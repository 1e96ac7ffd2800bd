import { ListSubscriptionsByTopicCommand, NotFoundException, SNSClient, SubscribeCommand, UnsubscribeCommand } from "@aws-sdk/client-sns";
import { env, requireEnv } from "../../contract/env.ts";
import type { Subscriptions } from "../../ports/sources.ts";
import { countRequests } from "../sdk/request-counts.ts";

let cachedClient: SNSClient | undefined;
function sns(): SNSClient {
  cachedClient ??= countRequests(new SNSClient({}));
  return cachedClient;
}

/** The subscriptions of the queue of triggers to topics. */
export const subscriptions = {
  /** Subscribes the queue of triggers to a topic. A topic to which it is subscribed already is not changed. */
  async subscribe(topicArn: string): Promise<void> {
    await sns().send(
      new SubscribeCommand({ TopicArn: topicArn, Protocol: "sqs", Endpoint: requireEnv(env.triggerQueueArn), ReturnSubscriptionArn: true }),
    );
  },
  /** Removes the subscription of the queue of triggers, unless it or the topic is gone. */
  async unsubscribe(topicArn: string): Promise<void> {
    try {
      for (let NextToken: string | undefined; ; ) {
        const page = await sns().send(new ListSubscriptionsByTopicCommand({ TopicArn: topicArn, ...(NextToken ? { NextToken } : {}) }));
        const subscription = page.Subscriptions?.find(({ Endpoint }) => Endpoint === requireEnv(env.triggerQueueArn));
        if (subscription?.SubscriptionArn?.startsWith("arn:"))
          return void (await sns().send(new UnsubscribeCommand({ SubscriptionArn: subscription.SubscriptionArn })));
        NextToken = page.NextToken;
        if (NextToken === undefined) return;
      }
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
    }
  },
} satisfies Subscriptions;

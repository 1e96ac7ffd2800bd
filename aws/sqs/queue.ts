import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { env, requireEnv } from "../../contract/env.ts";
import { isHighPriority, type Sendable, toJobMessage } from "../../core/jobs/lifecycle.ts";
import { sqs } from "../sdk/clients.ts";

export const queue = {
  /**
   * Sends the message of a job. Messages may arrive late or twice, so the job's record decides. The message group keeps workspaces fair.
   */
  async sendMessage(job: Sendable, delayS = 0): Promise<void> {
    await sqs().send(
      new SendMessageCommand({
        QueueUrl: requireEnv(isHighPriority(job) ? env.highQueueUrl : env.queueUrl),
        MessageBody: JSON.stringify(toJobMessage(job)),
        // Some engines do not support a delay together with a message group. A delayed message needs no fairness.
        ...(delayS > 0 ? { DelaySeconds: delayS } : { MessageGroupId: job.workspace }),
      }),
    );
  },
};
export type Queue = typeof queue;

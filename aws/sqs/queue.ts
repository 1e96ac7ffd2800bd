import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { env, requireEnv } from "../../contract/env.ts";
import { isHighPriority, type Sendable, toJobMessage } from "../../core/jobs/lifecycle.ts";
import { sqs } from "../sdk/clients.ts";

export const queue = {
  /** Messages may arrive twice or late: the job's record decides. Fair between workspaces by the message group. */
  async send(job: Sendable, delayS = 0): Promise<void> {
    await sqs().send(
      new SendMessageCommand({
        QueueUrl: requireEnv(isHighPriority(job) ? env.highQueueUrl : env.queueUrl),
        MessageBody: JSON.stringify(toJobMessage(job)),
        // A standard queue takes no delay together with a group on some engines; a delayed message has left the rush anyway.
        ...(delayS > 0 ? { DelaySeconds: delayS } : { MessageGroupId: job.workspace }),
      }),
    );
  },
};
export type Queue = typeof queue;

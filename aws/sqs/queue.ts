import { SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { env, requireEnv } from "../../contract/env.ts";
import { isHighPriority, type JobMessage, type Sendable, toJobMessage } from "../../core/jobs/record/lifecycle.ts";
import type { Queue } from "../../ports/queues.ts";
import { sqs } from "../sdk/clients.ts";

const queueUrl = (job: Sendable) => requireEnv(isHighPriority(job) ? env.highQueueUrl : env.queueUrl);

/** The message group keeps workspaces fair. SQS treats a message without a group as a separate tenant, even after its delay. */
const toMessage = (job: Sendable, delayS: number) => ({
  MessageBody: JSON.stringify(toJobMessage(job)),
  MessageGroupId: job.workspace,
  ...(delayS > 0 ? { DelaySeconds: delayS } : {}),
});

/** The maximum number of messages in one call. */
const BATCH = 10;

export const queue = {
  /** Sends the message of a job. Messages may arrive late or twice, so the job's record decides. */
  async sendMessage(job: Sendable, delayS = 0): Promise<void> {
    await sqs().send(new SendMessageCommand({ QueueUrl: queueUrl(job), ...toMessage(job, delayS) }));
  },

  /** Queues the follow-ups of an ended job, or the next parts of a bulk action. The message may arrive twice. */
  async sendFollowUp({ id, workspace, bulk }: Pick<Sendable, "id" | "workspace"> & { bulk?: string }): Promise<void> {
    const message: JobMessage = { job: id, followUp: true, ...(bulk ? { bulk: { workspace, person: bulk } } : {}) };
    await sqs().send(
      new SendMessageCommand({ QueueUrl: requireEnv(env.queueUrl), MessageBody: JSON.stringify(message), MessageGroupId: workspace }),
    );
  },

  /** Sends a message that was received once more, after a delay of at least one second. Throws `service.busy`. */
  async postponeMessage(message: JobMessage, delayS: number): Promise<void> {
    const QueueUrl = requireEnv(message.high ? env.highQueueUrl : env.queueUrl);
    await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message), DelaySeconds: delayS }));
  },

  /** Sends the messages of several jobs, ten in one call. Returns the jobs whose messages were not sent, with the reasons. */
  async sendMessages(messages: readonly { job: Sendable; delayS: number }[]): Promise<{ id: string; error: Error }[]> {
    const calls = [...Map.groupBy(messages, ({ job }) => queueUrl(job))].flatMap(([url, all]) =>
      Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) => ({ url, part: all.slice(index * BATCH, (index + 1) * BATCH) })),
    );
    return (await Promise.all(calls.map(({ url, part }) => sendBatch(url, part)))).flat();
  },
} satisfies Queue;

async function sendBatch(url: string, part: { job: Sendable; delayS: number }[]): Promise<{ id: string; error: Error }[]> {
  const Entries = part.map(({ job, delayS }, index) => ({ Id: String(index), ...toMessage(job, delayS) }));
  try {
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
    return Failed.flatMap(({ Id, Code, Message }) => {
      const job = part[Number(Id)]?.job;
      return job ? [{ id: job.id, error: Object.assign(new Error(Message ?? "The message was refused."), { name: Code ?? "Error" }) }] : [];
    });
  } catch (error) {
    return part.map(({ job }) => ({ id: job.id, error: error as Error }));
  }
}

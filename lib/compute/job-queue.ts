import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { divideConcurrency } from "./concurrency.ts";
import { queueProps } from "./queue-props.ts";

/** The 900 s of a worker and a margin for SQS. With a shorter timeout, the message of a long script would be delivered a second time. */
const VISIBILITY_S = 960;
/**
 * Maximum deliveries of one message: it returns if a worker crashed or every runner was busy. The attempts of a job are counted in its
 * record.
 */
const MAX_RECEIVES = 5;

/**
 * The queues of jobs that are ready to run. Jobs with a priority have a separate queue and separate workers, so that other jobs cannot delay them.
 * Messages that cannot be handled go to one dead-letter queue, which has a consumer.
 */
export class JobQueue extends Construct {
  readonly queue: Queue;
  readonly high: Queue;
  readonly deadLetters: Queue;
  private readonly config: StackConfig;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.config = config;
    const props: QueueProps = { ...queueProps, visibilityTimeout: Duration.seconds(VISIBILITY_S) };
    this.deadLetters = new Queue(this, "DeadLetters", props);
    const deadLetterQueue = { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES };
    this.queue = new Queue(this, "Queue", { ...props, deadLetterQueue });
    this.high = new Queue(this, "High", { ...props, deadLetterQueue });
  }

  allowSend(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn, this.high.queueArn] }));
    fn.addEnvironment(env.queueUrl, this.queue.queueUrl);
    fn.addEnvironment(env.highQueueUrl, this.high.queueUrl);
  }

  /** Connects a worker. It runs the jobs of a batch in parallel, because it only waits for runners, and reports failed messages individually. */
  allowConsume(fn: LambdaFunction): void {
    const { workers, messagesOfWorker } = divideConcurrency(this.config);
    for (const queue of [this.queue, this.high]) {
      fn.addEventSource(
        new SqsEventSource(queue, {
          batchSize: messagesOfWorker,
          reportBatchItemFailures: true,
          maxConcurrency: workers,
        }),
      );
    }
  }

  allowConsumeDeadLetters(fn: LambdaFunction): void {
    fn.addEventSource(new SqsEventSource(this.deadLetters, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }));
  }
}

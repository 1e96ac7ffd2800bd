import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";

/** A worker's 900 s and the time SQS needs to hear about it. Shorter, and a long script's message would come a second time. */
const VISIBILITY_S = 960;
/** A message comes back when a worker died or every runner was busy; the attempts of a job are counted in its record, not here. */
const MAX_RECEIVES = 5;

/**
 * Jobs that are ready to run, in two queues: those with a priority have workers of their own, so that no flood of others holds them up. What
 * cannot be handled goes to one dead-letter queue, which has a consumer.
 */
export class JobQueue extends Construct {
  readonly queue: Queue;
  readonly high: Queue;
  readonly deadLetters: Queue;
  private readonly config: StackConfig;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.config = config;
    const props: QueueProps = {
      visibilityTimeout: Duration.seconds(VISIBILITY_S),
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    };
    this.deadLetters = new Queue(this, "DeadLetters", props);
    const deadLetterQueue = { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES };
    this.queue = new Queue(this, "Queue", { ...props, deadLetterQueue });
    this.high = new Queue(this, "High", { ...props, deadLetterQueue });
  }

  configureSend(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn, this.high.queueArn] }));
    fn.addEnvironment(env.queueUrl, this.queue.queueUrl);
    fn.addEnvironment(env.highQueueUrl, this.high.queueUrl);
  }

  /** The worker runs the jobs of a batch side by side, because it only waits, and reports back those that failed, alone. */
  configureConsume(fn: LambdaFunction): void {
    for (const queue of [this.queue, this.high]) {
      fn.addEventSource(
        new SqsEventSource(queue, {
          batchSize: 10,
          reportBatchItemFailures: true,
          maxConcurrency: this.config.workerConcurrency ?? (this.config.local ? 5 : 50),
        }),
      );
    }
  }

  configureConsumeDeadLetters(fn: LambdaFunction): void {
    fn.addEventSource(new SqsEventSource(this.deadLetters, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }));
  }
}

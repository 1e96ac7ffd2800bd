import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import { divideConcurrency } from "../compute/concurrency.ts";
import { queueProps } from "../compute/queue-props.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";

/** The longest run of function `deliver`. An attempt ends within `limits.webhookAnswerMs`, and AWS calls take the rest. */
export const DELIVER_TIMEOUT_S = 30;
/** Longer than `limits.deliveryHoldMs`, so that a message whose sender died finds its claim free when it returns. */
const VISIBILITY_S = 45;
/** Maximum deliveries of one message whose sender dies each time or cannot write. The attempts of a delivery are counted in its record. */
const MAX_RECEIVES = 5;
/** Collects messages for receivers that do not answer. Lambda needs a window for batches of more than ten. */
const SLOW_BATCH = 100;

/**
 * The queues of deliveries: one for receivers that answer quickly and one for the others, so that no delivery waits for the slow receiver
 * of another delivery.
 */
export class DeliveryQueues extends Construct {
  readonly fast: Queue;
  readonly slow: Queue;
  /** Messages that failed too often, and positions of stream records that could not be dispatched. */
  readonly deadLetters: Queue;
  private readonly config: StackConfig;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.config = config;
    this.deadLetters = new Queue(this, "DeadLetters", queueProps);
    acknowledge(this.deadLetters, "AwsSolutions-SQS3", "It has no consumer: an alarm reports its messages to the operator.");
    const deadLetterQueue = { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES };
    const visibilityTimeout = Duration.seconds(VISIBILITY_S);
    this.fast = new Queue(this, "Fast", { ...queueProps, visibilityTimeout, deadLetterQueue });
    this.slow = new Queue(this, "Slow", { ...queueProps, visibilityTimeout, deadLetterQueue });
  }

  allowSend(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.fast.queueArn, this.slow.queueArn] }));
    fn.addEnvironment(env.deliveryQueueUrl, this.fast.queueUrl);
    fn.addEnvironment(env.slowDeliveryQueueUrl, this.slow.queueUrl);
  }

  /** Connects the function that delivers. The messages of a batch are sent concurrently. */
  allowConsume(fn: LambdaFunction): void {
    // The local engine delivers at most ten messages at once, and each sender is a process of this machine.
    const { local } = this.config;
    const { senders: maxConcurrency } = divideConcurrency(this.config);
    fn.addEventSource(new SqsEventSource(this.fast, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency }));
    const slow = local ? { batchSize: 10 } : { batchSize: SLOW_BATCH, maxBatchingWindow: Duration.seconds(1) };
    fn.addEventSource(new SqsEventSource(this.slow, { ...slow, reportBatchItemFailures: true, maxConcurrency }));
  }
}

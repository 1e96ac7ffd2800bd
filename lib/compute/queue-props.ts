import { Duration } from "aws-cdk-lib";
import { QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";

/** The properties that all queues share. Messages stay as long as SQS allows, so that an operator has time to inspect dead letters. */
export const queueProps: QueueProps = {
  retentionPeriod: Duration.days(14),
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
};

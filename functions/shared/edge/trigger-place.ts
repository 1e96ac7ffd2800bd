import { env, requireEnv } from "../../../contract/env.ts";

/** Returns the account and region of the deployment from the ARN of its queue of triggers, and the form of the URLs of its queues. */
export function triggerPlace() {
  const [arn, partition, service, region = "", account = ""] = requireEnv(env.triggerQueueArn).split(":");
  return {
    account,
    region,
    queueArnPrefix: `${[arn, partition, service, region, account].join(":")}:`,
    /** A local engine, whose queues have other URLs than those of AWS. */
    isLocal: process.env["AWS_ENDPOINT_URL"] !== undefined,
    // The client sends requests to the endpoint of its region, not to the host of this URL.
    toQueueUrl: (name: string) => `https://sqs.${region}.amazonaws.com/${account}/${name}`,
  };
}

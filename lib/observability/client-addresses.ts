import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "./nag.ts";

/** The form of clients' addresses in the log lines of requests. Hashes need a key, because all IPv4 addresses can be tried. */
export class ClientAddresses extends Construct {
  constructor(scope: Construct, id: string, { clientAddresses }: StackConfig, functions: readonly LambdaFunction[]) {
    super(scope, id);
    const key = clientAddresses === "hashed" ? this.createKey() : undefined;
    for (const fn of functions) {
      fn.addEnvironment(env.clientAddresses, clientAddresses);
      if (key !== undefined) fn.addEnvironment(env.clientAddressKey, key);
    }
  }

  private createKey(): string {
    const secret = new Secret(this, "Key", {
      description: "svc: key of the hashes of clients' addresses",
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    acknowledge(
      secret,
      "AwsSolutions-SMG4",
      "With another key, equal addresses would have different hashes. docs/aws.md describes how to forget all of them.",
    );
    return secret.secretValue.unsafeUnwrap();
  }
}

import { RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { retainsData, type StackConfig } from "./config.ts";

/**
 * The key that the data keys of secrets are sealed with. Tables, bucket and queues do not use it: they would ask it for every job, and AWS's own keys
 * protect the same bytes from the same people at no price.
 */
export class Keys extends Construct {
  readonly secretsKey: Key;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.secretsKey = new Key(this, "Secrets", {
      description: "svc: seals the data keys of workspaces' secrets",
      enableKeyRotation: true,
      removalPolicy: retainsData(config) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

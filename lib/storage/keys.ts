import { RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import { retainsData, type StackConfig } from "../config.ts";

/**
 * The key that the data keys of secrets are sealed with, and the one that signs the record of approvals. Tables, bucket and queues use neither: they would ask for every job, and AWS's own keys
 * protect the same bytes from the same people at no price.
 */
export class Keys extends Construct {
  private readonly secretsKey: Key;
  private readonly anchorKey: Key;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.secretsKey = new Key(this, "Secrets", {
      description: "svc: encrypts the data keys of workspace secrets",
      enableKeyRotation: true,
      removalPolicy: retainsData(config) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // KMS rotates no key of this kind: an old signature must hold.
    this.anchorKey = new Key(this, "Anchors", {
      description: "svc: signs the record of approvals",
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      removalPolicy: retainsData(config) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  /** Housekeeping alone: it takes no request of anybody. */
  configureSignRecord(fn: LambdaFunction): void {
    this.allowAnchors(fn, "kms:GenerateMac");
  }

  /** Who looks a signature over can make none. */
  configureCheckRecord(fn: LambdaFunction): void {
    this.allowAnchors(fn, "kms:VerifyMac");
  }

  private allowAnchors(fn: LambdaFunction, action: string): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [this.anchorKey.keyArn] }));
    fn.addEnvironment(env.anchorKey, this.anchorKey.keyArn);
  }

  /** Who runs jobs reads secrets, and makes no keys. */
  configureUnseal(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt"]);
  }

  /** Who stores secrets makes the workspaces' data keys as well. */
  configureSeal(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"]);
  }

  /** Keys that sign links to approvals, and no secret's. */
  configureLinks(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:purpose": "links" });
  }

  /** Secrets that outgoing webhooks are signed with, and no other. */
  configureWebhooks(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:purpose": "webhooks" });
  }

  /** The key wraps data keys of workspaces and nothing else: whatever is not named as one is refused. */
  private allow(fn: LambdaFunction, actions: string[], purpose: Record<string, string> = {}): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions,
        resources: [this.secretsKey.keyArn],
        conditions: { StringEquals: { "kms:EncryptionContext:service": "svc", ...purpose } },
      }),
    );
    fn.addEnvironment(env.secretsKey, this.secretsKey.keyArn);
  }
}

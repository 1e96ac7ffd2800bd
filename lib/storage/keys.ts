import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type IKey, Key, type KeyProps, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { INSTANCE } from "../../contract/common.ts";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { dataRemovalPolicy } from "./retention.ts";

/** The keys of secrets have a workspace and no purpose. */
const OF_SECRETS: Conditions = {
  Null: { "kms:EncryptionContext:purpose": "true" },
  StringNotEquals: { "kms:EncryptionContext:workspace": INSTANCE },
};

/**
 * The KMS key that wraps the data keys of secrets, and the one that signs the audit log of approvals. Tables, bucket and queues use neither: each
 * job would cost KMS calls, and AWS-owned keys give the same protection for free.
 */
export class Keys extends Construct {
  private readonly secretsKey: IKey;
  private readonly anchorKey: IKey;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    const { restored, multiRegionKeys } = config;
    // CloudFormation refuses an update that changes this property, the spec or the usage of a key: the data of a replaced key would be lost.
    const shared = { removalPolicy: dataRemovalPolicy(config), ...(multiRegionKeys ? { multiRegion: true } : {}) };
    const addKey = (name: string, replica: string | undefined, props: KeyProps): IKey =>
      replica === undefined ? new Key(this, name, { ...shared, ...props }) : Key.fromKeyArn(this, name, replica);
    this.secretsKey = addKey("Secrets", restored.secretsKey, {
      description: "svc: encrypts the data keys of workspace secrets",
      enableKeyRotation: true,
    });
    // KMS does not rotate HMAC keys, so old signatures remain valid.
    this.anchorKey = addKey("Anchors", restored.anchorKey, {
      description: "svc: signs the record of approvals",
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
    });
  }

  /** Grants the right to sign. Only housekeeping has it, because it handles no requests. */
  allowSignRecord(fn: LambdaFunction): void {
    this.allowAnchors(fn, "kms:GenerateMac");
  }

  /** Grants the right to verify signatures, but not to create them. */
  allowCheckRecord(fn: LambdaFunction): void {
    this.allowAnchors(fn, "kms:VerifyMac");
  }

  private allowAnchors(fn: LambdaFunction, action: string): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [this.anchorKey.keyArn] }));
    fn.addEnvironment(env.anchorKey, this.anchorKey.keyArn);
  }

  /** Grants an executor the right to decrypt secrets, but not to create data keys, and no keys for links, webhooks and sign-ins. */
  allowUnseal(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt"], {}, OF_SECRETS);
  }

  /** Grants the rights to store secrets, which include the creation of data keys for workspaces. */
  allowSeal(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], {}, OF_SECRETS);
  }

  /** Grants the use of keys that sign approval links, and of no data key of secrets. */
  allowLinks(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:purpose": "links" });
  }

  /** Grants the key that seals pending sign-ins, and no secret of a workspace. */
  allowLoginKey(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:workspace": INSTANCE });
  }

  /** Grants the key that opens the secrets of connect clients and the refresh tokens of accounts. Function `people` creates it (`allowLoginKey`). */
  allowAccounts(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt"], { "kms:EncryptionContext:purpose": "accounts" });
  }

  /** Grants the keys of copies by which routes authenticate requests, to a function that changes resources and variables. */
  allowMakeRouteCopies(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:purpose": "routes" });
  }

  /** Grants the decryption of these copies, and of no other secret. */
  allowOpenRouteCopies(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt"], { "kms:EncryptionContext:purpose": "routes" });
  }

  /** Grants the keys of copies of the resources of chat applications, to a function that changes resources and variables. */
  allowMakeChatCopies(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:purpose": "chats" });
  }

  /** Grants the decryption of these copies, and of no other secret. */
  allowOpenChatCopies(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt"], { "kms:EncryptionContext:purpose": "chats" });
  }

  /** Grants the decryption of secrets that sign outgoing webhooks, and of no others. */
  allowWebhooks(fn: LambdaFunction): void {
    this.allow(fn, ["kms:Decrypt", "kms:GenerateDataKey"], { "kms:EncryptionContext:purpose": "webhooks" });
  }

  /** Restricts a grant to data keys of workspaces by their encryption context; the key wraps nothing else. */
  private allow(fn: LambdaFunction, actions: string[], purpose: Record<string, string> = {}, further: Conditions = {}): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions,
        resources: [this.secretsKey.keyArn],
        conditions: { StringEquals: { "kms:EncryptionContext:service": "svc", ...purpose }, ...further },
      }),
    );
    fn.addEnvironment(env.secretsKey, this.secretsKey.keyArn);
  }
}

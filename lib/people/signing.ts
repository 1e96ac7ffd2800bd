import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";
import { dataRemovalPolicy } from "../storage/retention.ts";

/**
 * The seed of the Ed25519 key that signs job tokens. Only executors may read it. Functions that verify a token read the public key from the objects
 * table and need no rights from this construct.
 */
export class Signing extends Construct {
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.secret = new Secret(this, "Seed", {
      description: "svc: seed of the key that signs job tokens",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: dataRemovalPolicy(config),
    });
    acknowledge(
      this.secret,
      "AwsSolutions-SMG4",
      "A job token is valid as long as its job. Rotation creates a new version of the secret and is a manual step, docs/aws.md.",
    );
  }

  allowSign(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [this.secret.secretArn] }));
    fn.addEnvironment(env.signingSecret, this.secret.secretArn);
  }
}

import { AccountRecovery, FeaturePlan, Mfa, UserPool, type UserPoolClient } from "aws-cdk-lib/aws-cognito";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";
import { dataRemovalPolicy, protectsData } from "../storage/retention.ts";

/** The user pool for sign-in with passwords. Self sign-up is off: an administrator creates accounts. */
export class People extends Construct {
  readonly signIn: { pool: UserPool; client: UserPoolClient } | undefined;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    if (!config.passwords) return;
    const pool = new UserPool(this, "Pool", {
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      passwordPolicy: { minLength: 12, requireLowercase: true, requireUppercase: true, requireDigits: true, requireSymbols: true },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: protectsData(config),
      removalPolicy: dataRemovalPolicy(config),
    });
    // Only svc's own function uses this client. Its answers do not distinguish an unknown address from a wrong password.
    const client = pool.addClient("SignIn", {
      authFlows: { adminUserPassword: true },
      disableOAuth: true,
      preventUserExistenceErrors: true,
    });
    this.signIn = { pool, client };
    acknowledge(pool, "AwsSolutions-COG2", "A second factor is optional: many pools have only one user, and programs use tokens.");
    acknowledge(pool, "AwsSolutions-COG3", "Threat protection requires the Plus plan, which is billed per user. The owner may turn it on.");
    acknowledge(pool, "AwsSolutions-COG8", "The Essentials plan has all features that sign-in uses. Plus is billed per user.");
  }

  /** Grants the one-shot function that creates the first administrator its rights. */
  allowCreatePeople(fn: LambdaFunction): void {
    if (!this.signIn) return;
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["cognito-idp:AdminCreateUser", "cognito-idp:AdminSetUserPassword"],
        resources: [this.signIn.pool.userPoolArn],
      }),
    );
    fn.addEnvironment(env.userPool, this.signIn.pool.userPoolId);
  }

  /** Grants the rights to sign people in, and to create and delete their accounts. */
  allowSignIn(fn: LambdaFunction): void {
    if (!this.signIn) return;
    this.allowCreatePeople(fn);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["cognito-idp:AdminInitiateAuth", "cognito-idp:AdminDeleteUser"],
        resources: [this.signIn.pool.userPoolArn],
      }),
    );
    fn.addEnvironment(env.userPoolClient, this.signIn.client.userPoolClientId);
  }
}

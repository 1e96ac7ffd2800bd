import { SecretValue, Stack } from "aws-cdk-lib";
import {
  OAuthScope,
  ProviderAttribute,
  type UserPool,
  UserPoolClient,
  UserPoolClientIdentityProvider,
  UserPoolIdentityProviderOidc,
} from "aws-cdk-lib/aws-cognito";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { defined } from "../../contract/defined.ts";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";

interface LoginsProps {
  readonly config: StackConfig;
  /** Absent if sign-in with a password is turned off. The service then contacts each provider itself. */
  readonly pool: UserPool | undefined;
  /** The service's own origin, to which providers redirect browsers. */
  readonly url: string;
}

/**
 * Sign-in with accounts of other providers. On AWS it uses the user pool, and only the pool knows the providers' secrets. The local engine's user
 * pool has no sign-in pages, so the service contacts each provider itself.
 */
export class Logins extends Construct {
  private readonly config: StackConfig;
  private readonly through: { pool: UserPool; client: UserPoolClient } | undefined;

  constructor(scope: Construct, id: string, { config, pool, url }: LoginsProps) {
    super(scope, id);
    this.config = config;
    if (config.local || !config.loginDomainPrefix || !pool) return;
    pool.addDomain("Domain", { cognitoDomain: { domainPrefix: config.loginDomainPrefix } });
    const providers = config.logins.map(
      ({ name, issuer, clientId, clientSecretName }) =>
        new UserPoolIdentityProviderOidc(this, `Provider-${name}`, {
          userPool: pool,
          name,
          issuerUrl: issuer,
          clientId,
          // The template contains a reference, which CloudFormation resolves during the deployment.
          clientSecret: SecretValue.secretsManager(clientSecretName).unsafeUnwrap(),
          scopes: ["openid", "email", "profile"],
          attributeMapping: {
            email: ProviderAttribute.other("email"),
            emailVerified: ProviderAttribute.other("email_verified"),
            fullname: ProviderAttribute.other("name"),
          },
        }),
    );
    // The client has no secret, because PKCE and a sealed cookie bind each code to the browser that requested it.
    const client = new UserPoolClient(this, "Client", {
      userPool: pool,
      generateSecret: false,
      authFlows: {},
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: config.logins.map(({ name }) => `${url}/api/oauth/login_callback/${name}`),
      },
      supportedIdentityProviders: config.logins.map(({ name }) => UserPoolClientIdentityProvider.custom(name)),
    });
    client.node.addDependency(...providers);
    this.through = { pool, client };
  }

  /** Grants a function the rights to sign people in. */
  allowSignIn(fn: LambdaFunction): void {
    const { config, through } = this;
    const logins = config.logins.map(({ name, displayName, issuer, clientId, clientSecretName }) => ({
      name,
      ...defined({ displayName }),
      ...(through
        ? { issuer: through.pool.userPoolProviderUrl, clientId: through.client.userPoolClientId, identityProvider: name }
        : { issuer, clientId, clientSecretName }),
    }));
    fn.addEnvironment(env.logins, Stack.of(this).toJsonString(logins));
    if (through) return;
    const arns = config.logins.map(
      ({ name, clientSecretName }) => `${Secret.fromSecretNameV2(this, `Secret-${name}`, clientSecretName).secretArn}-??????`,
    );
    fn.addToRolePolicy(new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: arns }));
  }
}

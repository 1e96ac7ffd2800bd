import {
  AdminCreateUserCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  UsernameExistsException,
} from "@aws-sdk/client-cognito-identity-provider";
import { env, requireEnv } from "../contract/env.ts";

let client: CognitoIdentityProviderClient | undefined;
const cognito = () => {
  client ??= new CognitoIdentityProviderClient({});
  return client;
};

/** The user pool: who can sign in with a password. */
export const people = {
  /** Makes the account if there is none, and sets its password. Nothing is mailed. */
  async ensure(email: string, password: string): Promise<void> {
    const account = { UserPoolId: requireEnv(env.userPool), Username: email };
    try {
      await cognito().send(
        new AdminCreateUserCommand({
          ...account,
          MessageAction: "SUPPRESS",
          UserAttributes: [
            { Name: "email", Value: email },
            { Name: "email_verified", Value: "true" },
          ],
        }),
      );
    } catch (error) {
      if (!(error instanceof UsernameExistsException)) throw error;
    }
    await cognito().send(new AdminSetUserPasswordCommand({ ...account, Password: password, Permanent: true }));
  },
};
export type People = typeof people;

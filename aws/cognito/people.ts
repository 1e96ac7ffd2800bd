import type * as Cognito from "@aws-sdk/client-cognito-identity-provider";
import { env } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import type { People } from "../../ports/people.ts";

// Loaded on first use, because few requests are sign-ins.
const sdk = () => import("@aws-sdk/client-cognito-identity-provider");
let client: Promise<Cognito.CognitoIdentityProviderClient> | undefined;
function cognito(): Promise<Cognito.CognitoIdentityProviderClient> {
  client ??= sdk().then(({ CognitoIdentityProviderClient }) => new CognitoIdentityProviderClient({}));
  return client;
}

/** Reads an environment variable of the user pool. Throws `login.noPasswords` if the stack has no user pool. */
function requirePoolVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new SvcError("login.noPasswords", {});
  return value;
}
const account = (email: string) => ({ UserPoolId: requirePoolVariable(env.userPool), Username: email.toLowerCase() });

/** The user pool, which stores the passwords. */
export const people = {
  /** Returns whether sign-in with a password is available. */
  hasPasswords: () => Boolean(process.env[env.userPool]),

  /**
   * Creates the account if there is none, and sets its password. No mail is sent. Throws `user.invalidPassword` and `login.noPasswords`.
   */
  async ensureUser(email: string, password: string): Promise<void> {
    const who = account(email);
    const { AdminCreateUserCommand, AdminSetUserPasswordCommand, InvalidPasswordException, UsernameExistsException } = await sdk();
    const pool = await cognito();
    try {
      await pool.send(
        new AdminCreateUserCommand({
          ...who,
          MessageAction: "SUPPRESS",
          UserAttributes: [
            { Name: "email", Value: email.toLowerCase() },
            { Name: "email_verified", Value: "true" },
          ],
        }),
      );
    } catch (error) {
      if (!(error instanceof UsernameExistsException)) throw error;
    }
    try {
      await pool.send(new AdminSetUserPasswordCommand({ ...who, Password: password, Permanent: true }));
    } catch (error) {
      if (!(error instanceof InvalidPasswordException)) throw error;
      throw new SvcError("user.invalidPassword", { reason: error.message }, { cause: error });
    }
  },

  /** Returns false for a wrong password and for a missing account. A second factor is not supported yet, so users who set one are rejected. Throws `engine.busy`, `login.noPasswords`. */
  async checkPassword(email: string, password: string): Promise<boolean> {
    const pool = { UserPoolId: requirePoolVariable(env.userPool), ClientId: requirePoolVariable(env.userPoolClient) };
    const {
      AdminInitiateAuthCommand,
      LimitExceededException,
      NotAuthorizedException,
      PasswordResetRequiredException,
      TooManyRequestsException,
      UserNotConfirmedException,
      UserNotFoundException,
    } = await sdk();
    try {
      const { AuthenticationResult } = await (await cognito()).send(
        new AdminInitiateAuthCommand({
          ...pool,
          AuthFlow: "ADMIN_USER_PASSWORD_AUTH",
          AuthParameters: { USERNAME: email.toLowerCase(), PASSWORD: password },
        }),
      );
      return AuthenticationResult !== undefined;
    } catch (error) {
      const refusals = [NotAuthorizedException, UserNotFoundException, PasswordResetRequiredException, UserNotConfirmedException];
      if (refusals.some((refusal) => error instanceof refusal)) return false;
      if (error instanceof TooManyRequestsException || error instanceof LimitExceededException) {
        throw new SvcError("engine.busy", { retryAfterS: 1 }, { cause: error });
      }
      throw error;
    }
  },

  /** Deletes an account. A missing account is not an error. */
  async deleteUser(email: string): Promise<void> {
    if (!this.hasPasswords()) return;
    const { AdminDeleteUserCommand, UserNotFoundException } = await sdk();
    try {
      await (await cognito()).send(new AdminDeleteUserCommand(account(email)));
    } catch (error) {
      if (!(error instanceof UserNotFoundException)) throw error;
    }
  },
} satisfies People;

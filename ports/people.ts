import type { Login } from "../core/people/login.ts";

/** The user pool, which stores the passwords. */
export interface People {
  /** Returns whether sign-in with a password is available. */
  hasPasswords(): boolean;
  /** Creates the account if there is none, and sets its password. No mail is sent. Idempotent. Throws `user.invalidPassword` and `login.noPasswords`. */
  ensureUser(email: string, password: string): Promise<void>;
  /**
   * Returns false for a wrong password and for a missing account. A second factor is not supported yet, so users who set one are rejected. Throws
   * `engine.busy` and `login.noPasswords`.
   */
  checkPassword(email: string, password: string): Promise<boolean>;
  /** Deletes an account. A missing account is not an error. */
  deleteUser(email: string): Promise<void>;
}

/** Sign-in with OpenID Connect: authorization code, PKCE, state and nonce. */
export interface Logins {
  /** The identity providers of the deployment. */
  readonly all: readonly Login[];
  /** Starts a sign-in: returns its secrets and the URL for the browser. Throws `login.unknown` and `login.unreachable`. */
  beginSignIn(name: string, redirectUri: string): Promise<{ state: string; nonce: string; verifier: string; location: string }>;
  /**
   * Exchanges a code, once, for an ID token and returns its verified claims. Throws `login.unknown`, `login.notConfirmed` and
   * `login.unreachable`.
   */
  redeemCode(
    name: string,
    redirectUri: string,
    answer: { code: string; state: string; iss?: string | undefined },
    secrets: { nonce: string; verifier: string; state: string },
  ): Promise<unknown>;
}

import { randomBytes } from "node:crypto";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { engineCredentials } from "../engine/child-env.ts";
import { Complaint } from "../launch/complaint.mjs";

export interface Account {
  workspace: string;
  token: string;
  email: string;
  /** Empty if sign-in with a password is not available. */
  password: string;
}

/** Creates a client for one function call. The credentials of the engine's only account are not secret. */
function lambdaClient(endpoint: string): LambdaClient {
  return new LambdaClient({
    endpoint,
    region: engineCredentials.AWS_REGION,
    credentials: { accessKeyId: engineCredentials.AWS_ACCESS_KEY_ID, secretAccessKey: engineCredentials.AWS_SECRET_ACCESS_KEY },
  });
}

/** Calls a function directly, as the AWS console does. Throws the function's error. */
export async function invokeFunction(endpoint: string, functionName: string, payload: unknown): Promise<unknown> {
  const client = lambdaClient(endpoint);
  try {
    const answer = await client.send(new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload)) }));
    const text = answer.Payload ? Buffer.from(answer.Payload).toString() : "null";
    if (answer.FunctionError) throw new Error(`Function ${functionName} failed: ${text}`);
    return JSON.parse(text);
  } finally {
    client.destroy();
  }
}

interface AdminRequest {
  endpoint: string;
  setupFunction: string | undefined;
  email: string;
  /** The password to use again for an account that already exists. Default: a random one. */
  password?: string;
  /** False if the stack has no user pool: the account then has only its token. */
  hasPasswords?: boolean;
  workspace: { id: string; name: string };
  tokenLabel: string;
}

/** Creates the first administrator with the one-shot function `setup`, which may be called again (`docs/aws.md`). */
export async function createAdmin(admin: AdminRequest): Promise<Account> {
  const { endpoint, setupFunction, email, password, hasPasswords = true, workspace, tokenLabel } = admin;
  if (!setupFunction) throw new Complaint("The deployed stack has no function setup, so sign-in is not possible. Deploy a newer version.");
  const secret = hasPasswords ? (password ?? randomPassword()) : "";
  const request = { email, ...(secret ? { password: secret } : {}), workspace, token: { label: tokenLabel } };
  const response = await invokeFunction(endpoint, setupFunction, request);
  const { token } = response as { token?: string };
  if (!token) throw new Error(`Function ${setupFunction} returned no token.`);
  return { workspace: workspace.id, token, email, password: secret };
}

/** 144 random bits, followed by one character of each kind that the user pool's policy requires. */
function randomPassword(): string {
  return `${randomBytes(18).toString("base64url")}-aA1`;
}

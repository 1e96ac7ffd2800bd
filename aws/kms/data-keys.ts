import type { KMSClient } from "@aws-sdk/client-kms";
import { env, requireEnv } from "../../contract/env.ts";
import type { DataKeys } from "../../ports/keys.ts";
import { reportBusyServices } from "../sdk/aws-errors.ts";
import { countRequests } from "../sdk/request-counts.ts";

/** Created on first use, because most processes never use a secret. */
let cachedClient: Promise<KMSClient> | undefined;
function kms(): Promise<KMSClient> {
  cachedClient ??= import("@aws-sdk/client-kms").then(({ KMSClient }) => reportBusyServices(countRequests(new KMSClient({}))));
  return cachedClient;
}
/** Data keys of workspaces, wrapped by the stack's KMS key. The encryption context binds each key to its workspace and to its purpose. */
const dataKeysFor = (purpose: Record<string, string>) => ({
  async generate(workspace: string): Promise<{ key: Buffer; wrapped: string }> {
    const { GenerateDataKeyCommand } = await import("@aws-sdk/client-kms");
    const { Plaintext, CiphertextBlob } = await (await kms()).send(
      new GenerateDataKeyCommand({
        KeyId: requireEnv(env.secretsKey),
        KeySpec: "AES_256",
        EncryptionContext: { service: "svc", workspace, ...purpose },
      }),
    );
    if (!Plaintext || !CiphertextBlob) throw new Error("KMS returned no data key.");
    return { key: Buffer.from(Plaintext), wrapped: Buffer.from(CiphertextBlob).toString("base64") };
  },
  async unwrap(workspace: string, wrapped: string): Promise<Buffer> {
    const { DecryptCommand } = await import("@aws-sdk/client-kms");
    const { Plaintext } = await (await kms()).send(
      new DecryptCommand({
        KeyId: requireEnv(env.secretsKey),
        CiphertextBlob: Buffer.from(wrapped, "base64"),
        EncryptionContext: { service: "svc", workspace, ...purpose },
      }),
    );
    if (!Plaintext) throw new Error("KMS returned no unwrapped data key.");
    return Buffer.from(Plaintext);
  },
});
export const dataKeys: DataKeys = dataKeysFor({});
/** A separate context: a function that may use these keys cannot unwrap the keys of secrets. */
export const linkKeys: DataKeys = dataKeysFor({ purpose: "links" });
/** The secrets of outgoing webhooks. */
export const webhookKeys: DataKeys = dataKeysFor({ purpose: "webhooks" });
/** The key that seals the secrets of connect clients and the refresh tokens of accounts. */
export const accountKeys: DataKeys = dataKeysFor({ purpose: "accounts" });
/** The keys of copies by which routes authenticate requests. */
export const httpRouteKeys: DataKeys = dataKeysFor({ purpose: "routes" });
/** The keys of copies with what the service needs of the resources of chat applications. */
export const chatKeys: DataKeys = dataKeysFor({ purpose: "chats" });

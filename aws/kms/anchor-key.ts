import type { KMSClient } from "@aws-sdk/client-kms";
import { env, requireEnv } from "../../contract/env.ts";
import type { AnchorKey } from "../../ports/keys.ts";
import { reportBusyServices } from "../sdk/aws-errors.ts";
import { countRequests } from "../sdk/request-counts.ts";

/** Loaded with the first signature, because most invocations need none. */
let cachedClient: Promise<KMSClient> | undefined;
function kms(): Promise<KMSClient> {
  cachedClient ??= import("@aws-sdk/client-kms").then(({ KMSClient }) => reportBusyServices(countRequests(new KMSClient({}))));
  return cachedClient;
}
const ALGORITHM = { MacAlgorithm: "HMAC_SHA_256" } as const;

/** The KMS key that signs the record of approvals. It never leaves KMS. */
export const anchorKey = {
  async generateMac(message: string): Promise<{ mac: string; key: string }> {
    const { GenerateMacCommand } = await import("@aws-sdk/client-kms");
    const KeyId = requireEnv(env.anchorKey);
    const { Mac, KeyId: key } = await (await kms()).send(new GenerateMacCommand({ ...ALGORITHM, KeyId, Message: Buffer.from(message) }));
    if (!Mac || !key) throw new Error("KMS returned no signature.");
    return { mac: Buffer.from(Mac).toString("base64"), key };
  },

  /** Returns whether the stack's own key created the signature, whatever key it names. */
  async verifyMac(message: string, mac: string): Promise<boolean> {
    const { VerifyMacCommand, KMSInvalidMacException } = await import("@aws-sdk/client-kms");
    const KeyId = requireEnv(env.anchorKey);
    const command = new VerifyMacCommand({ ...ALGORITHM, KeyId, Message: Buffer.from(message), Mac: Buffer.from(mac, "base64") });
    try {
      return (await (await kms()).send(command)).MacValid === true;
    } catch (error) {
      if (error instanceof KMSInvalidMacException) return false;
      throw error;
    }
  },
} satisfies AnchorKey;

import { verifyKey } from "discord-interactions";
import type { Payload } from "../../../contract/payload.ts";

/** The age at which a call is refused. Without this limit, a recorded call would be valid for ever. */
const LIMIT_S = 5 * 60;
const SECONDS = /^\d{10}$/;
const SIGNATURE = /^[0-9a-f]{128}$/i;

/**
 * Returns the reason for which a call does not come from Discord, or `undefined`. Discord signs the time and the bytes of a call with a key of the application
 * (https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers).
 */
export async function findCallFault(
  publicKey: string,
  { headers, bytes }: { headers: Payload["headers"]; bytes: Buffer },
  nowMs: number,
): Promise<string | undefined> {
  const { "x-signature-ed25519": signature, "x-signature-timestamp": timestamp } = headers;
  if (signature === undefined || timestamp === undefined) return "noCredential";
  // Also refuses repeated headers, which arrive as one text with a comma.
  if (!SECONDS.test(timestamp)) return "wrongTimestamp";
  if (!SIGNATURE.test(signature)) return "wrongSignature";
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > LIMIT_S) return "tooOld";
  return (await verifyKey(bytes, signature, timestamp, publicKey)) ? undefined : "wrongSignature";
}

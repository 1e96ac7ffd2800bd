import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Derives the key that encrypts a job's masks from the job's token, so that only holders of the token can decrypt them: the job, its
 * executor and the function that receives its heartbeats. The key is not stored.
 */
const keyOf = (token: string) => Buffer.from(hkdfSync("sha256", token, "", "svc masked secrets", 32));

/** Encrypts the secrets that a job has read. Returns base64. */
export function encryptMasks(token: string, secrets: readonly string[]): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(token), nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(secrets), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
}

/** Decrypts masks. Returns an empty list for another token, because each attempt has its own. */
export function decryptMasks(token: string, box: string): string[] {
  const bytes = Buffer.from(box, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(token), bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(12, 28));
  try {
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8")) as string[];
  } catch {
    // The masks were encrypted with the token of another attempt.
    return [];
  }
}

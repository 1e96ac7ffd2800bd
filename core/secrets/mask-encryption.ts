import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Secrets that a job has read, for those who write down what it prints. They are sealed with a key made of the job's token: only who
 * holds the token opens them, which is the job itself, its executor, and who takes its beats; it is stored nowhere.
 */
const keyOf = (token: string) => Buffer.from(hkdfSync("sha256", token, "", "svc masked secrets", 32));

export function encryptMasks(token: string, secrets: readonly string[]): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(token), nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(secrets), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
}

/** Nothing for a box of another token: an attempt that was lost has its own. */
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

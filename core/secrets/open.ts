import { createDecipheriv } from "node:crypto";
import {
  BLOCK_BYTES,
  boundTo,
  EXPORT_AAD,
  EXPORT_HEADER,
  exportKeyBytes,
  NONCE_BYTES,
  SEALED,
  type SecretLocation,
  TAG_BYTES,
  UnreadableSecretError,
} from "./seal.ts";

// .dependency-cruiser.cjs lists the modules that may import this one.

/** Throws if the key is wrong or the bytes were changed. */
function decrypt(key: Buffer, aad: Buffer, bytes: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** Decrypts a secret. Throws `UnreadableSecretError` if it was sealed for another location or with another key, or was changed. */
export function openSecret(key: Buffer, location: SecretLocation, sealed: string): string {
  const bytes = Buffer.from(SEALED.exec(sealed)?.[2] ?? "", "base64");
  try {
    return decrypt(key, boundTo(location), bytes).toString("utf8");
  } catch (cause) {
    throw new UnreadableSecretError("A stored secret cannot be decrypted.", { cause });
  }
}

/** Decrypts an exported secret. Returns `undefined` if the text is not an exported secret or was encrypted with another key. */
export function importSecret(key: string, exported: string): { value: string; nonce: string } | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(exported)) return undefined;
  const bytes = Buffer.from(exported, "base64");
  const body = bytes.subarray(EXPORT_HEADER.length);
  if (!bytes.subarray(0, EXPORT_HEADER.length).equals(EXPORT_HEADER) || bytes.length % BLOCK_BYTES !== 0) return undefined;
  if (body.length < NONCE_BYTES + TAG_BYTES + BLOCK_BYTES) return undefined;
  try {
    const padded = decrypt(exportKeyBytes(key), EXPORT_AAD, body);
    const value = padded.subarray(0, padded.length - (padded.at(-1) ?? 0)).toString("utf8");
    return { value, nonce: body.subarray(0, NONCE_BYTES).toString("base64") };
  } catch {
    // The value was encrypted with another key.
    return undefined;
  }
}

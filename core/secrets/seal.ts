import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";

/** A stored secret: the version of the data key, followed by nonce, tag and ciphertext in base64. */
export const SEALED = /^svc1:(\d+):([A-Za-z0-9+/]+={0,2})$/;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** The owner of a sealed value. It is authenticated, so a value that is moved to another path or workspace cannot be decrypted. */
export interface SecretLocation {
  workspace: string;
  path: string;
}
export const boundTo = ({ workspace, path }: SecretLocation) => Buffer.from(JSON.stringify(["svc", workspace, path]));

export interface DataKey {
  version: number;
  key: Buffer;
}

function encrypt(key: Buffer, nonce: Buffer, aad: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(aad);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Encrypts a secret for one location. */
export function sealSecret({ version, key }: DataKey, location: SecretLocation, value: string): string {
  return `svc1:${version}:${encrypt(key, randomBytes(NONCE_BYTES), boundTo(location), Buffer.from(value, "utf8")).toString("base64")}`;
}

/** A stored secret that no attempt can decrypt: its text was changed, or its data key no longer exists. */
export class UnreadableSecretError extends Error {
  override readonly name = "UnreadableSecretError";
}

/** Returns the version of the data key that a sealed value names. Throws `UnreadableSecretError` if the value is not sealed. */
export function readKeyVersion(sealed: string): number {
  const version = SEALED.exec(sealed)?.[1];
  if (version === undefined) throw new UnreadableSecretError("A stored secret does not have the format of sealed secrets.");
  return Number(version);
}

/**
 * The exportable form: standard base64 of a multiple of 16 bytes, by which clients distinguish a ciphertext from plain text (api.md §3.4).
 * It is not bound to a path, so that it can be moved together with the key.
 */
export const EXPORT_HEADER = Buffer.from("svc\x01", "latin1");
export const EXPORT_AAD = Buffer.from("svc exported secret");
export const BLOCK_BYTES = 16;

/** The key is text, because people choose and copy it. */
export function exportKeyBytes(key: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", "svc exported secrets", 32));
}

/** Creates a random nonce in base64. */
export const createExportNonce = () => randomBytes(NONCE_BYTES).toString("base64");
/** Creates an exportable key of 64 letters and digits, about 380 random bits. */
export function createExportKey(): string {
  let key = "";
  while (key.length < 64)
    key += randomBytes(64)
      .toString("base64")
      .replace(/[^A-Za-z0-9]/g, "");
  return key.slice(0, 64);
}

/**
 * Encrypts a secret for export. The nonce is random and stored with each value: the same stored value always yields the same text, so that
 * a synchronisation finds no difference, and no two values share a nonce.
 */
export function exportSecret(key: string, value: string, nonce = createExportNonce()): string {
  const plain = Buffer.from(value, "utf8");
  const padding = BLOCK_BYTES - (plain.length % BLOCK_BYTES);
  const padded = Buffer.concat([plain, Buffer.alloc(padding, padding)]);
  return Buffer.concat([EXPORT_HEADER, encrypt(exportKeyBytes(key), Buffer.from(nonce, "base64"), EXPORT_AAD, padded)]).toString("base64");
}

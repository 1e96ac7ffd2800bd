import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { CompactEncrypt, compactDecrypt } from "jose";
import { CommandError, UsageError } from "../errors.ts";

/** One-time key agreement with the recipient's X25519 key, and AES-256-GCM (RFC 7518, RFC 8037). */
const HEADER = { alg: "ECDH-ES", enc: "A256GCM" } as const;
const CURVE = "x25519";

const HOW = "Create a pair with: openssl genpkey -algorithm X25519 -out backup.key && openssl pkey -in backup.key -pubout -out backup.pub";

/** Reads the public X25519 key for which the keys of secrets are sealed. Throws `UsageError`. */
export function readSealKey(file: string): KeyObject {
  const text = readKeyFile(file);
  // A public key can be derived from a private one, which should not be where backups are made.
  if (text.includes("PRIVATE KEY"))
    throw new UsageError(`${file} contains a private key. Seal with the public one, and keep the private one elsewhere.`);
  return parseKey(file, () => createPublicKey(text));
}

/** Reads the private X25519 key that opens what was sealed. Throws `UsageError`. */
export function readOpenKey(file: string): KeyObject {
  const text = readKeyFile(file);
  return parseKey(file, () => createPrivateKey(text));
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function parseKey(file: string, parse: () => KeyObject): KeyObject {
  try {
    const key = parse();
    if (key.asymmetricKeyType === CURVE) return key;
  } catch {
    // The message of the parser may contain a part of the key.
  }
  throw new UsageError(`${file} is no X25519 key in PEM form. ${HOW}`);
}

/** Seals the key of a workspace's secrets. The name of the workspace is part of what is sealed, so that no other workspace can receive the key. */
export async function sealKey(recipient: KeyObject, workspace: string, key: string): Promise<string> {
  const content = new TextEncoder().encode(key);
  return new CompactEncrypt(content).setProtectedHeader({ ...HEADER, workspace }).encrypt(recipient);
}

/** Opens the sealed key of a workspace. Throws `CommandError` for another private key, another workspace, and a changed text. */
export async function openKey(own: KeyObject, workspace: string, sealed: string): Promise<string> {
  const options = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };
  const opened = await compactDecrypt(sealed, own, options).catch(() => undefined);
  if (opened?.protectedHeader["workspace"] !== workspace)
    throw new CommandError(
      `The secrets of the workspace ${workspace} cannot be opened: they were sealed for another key, or the backup was changed.`,
    );
  return new TextDecoder().decode(opened.plaintext);
}

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { CompactEncrypt, compactDecrypt } from "jose";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import type { Settings } from "../../core/sync/backup/settings.ts";
import { CommandError, UsageError } from "../errors.ts";

/** One-time key agreement with the recipient's X25519 key, and AES-256-GCM (RFC 7518, RFC 8037). */
const HEADER = { alg: "ECDH-ES", enc: "A256GCM" } as const;
const CURVE = "x25519";

const HOW = "Create a pair with: openssl genpkey -algorithm X25519 -out backup.key && openssl pkey -in backup.key -pubout -out backup.pub";

/** Reads the public X25519 key for which the keys of secrets are sealed. Throws `UsageError`. */
export function readSealKey(file: string): KeyObject {
  const text = readKeyFile(file);
  // A public key could be derived from the private one, but the private key should not be on the machine that makes backups.
  if (text.includes("PRIVATE KEY"))
    throw new UsageError(`${file} contains a private key. Seal with the public one, and keep the private one elsewhere.`);
  return parseKey(file, () => createPublicKey(text));
}

/** Reads the private X25519 key that opens sealed data. Throws `UsageError`. */
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

/** The kind and the workspace of a secret. They are part of the sealed data, so that no secret can replace another one. */
type Place = { workspace: string } | { settings: string };

async function seal(recipient: KeyObject, scope: Place, text: string): Promise<string> {
  const content = new TextEncoder().encode(text);
  return new CompactEncrypt(content).setProtectedHeader({ ...HEADER, ...scope }).encrypt(recipient);
}

/** Returns the sealed data of a kind and workspace, or `undefined` for another private key, another kind or workspace, and a changed text. */
async function open(privateKey: KeyObject, scope: Place, sealed: string): Promise<string | undefined> {
  const options = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };
  const opened = await compactDecrypt(sealed, privateKey, options).catch(() => undefined);
  const isFor = ([name, value]: [string, string]) => opened?.protectedHeader[name] === value;
  return opened && Object.entries(scope).every(isFor) ? new TextDecoder().decode(opened.plaintext) : undefined;
}

const WHY = "they were sealed for another key, or the backup was changed.";

/** Seals the key of a workspace's secrets. */
export const sealKey = (recipient: KeyObject, workspace: string, key: string): Promise<string> => seal(recipient, { workspace }, key);

/** Opens the sealed key of a workspace. Throws `CommandError` for another private key, another workspace, and a changed text. */
export async function openKey(privateKey: KeyObject, workspace: string, sealed: string): Promise<string> {
  const key = await open(privateKey, { workspace }, sealed);
  if (key === undefined) throw new CommandError(`The secrets of the workspace ${workspace} cannot be opened: ${WHY}`);
  return key;
}

/** Seals settings of a workspace, or of the instance (`""`). Returns `undefined` if there are none. */
export async function sealSettings(recipient: KeyObject, workspace: string, settings: Settings): Promise<string | undefined> {
  if (Object.keys(settings).length === 0) return undefined;
  return seal(recipient, { settings: workspace }, JSON.stringify(settings));
}

/** Opens sealed settings. Throws `CommandError` as `openKey` does. */
export async function openSettings(privateKey: KeyObject, workspace: string, sealed: string): Promise<Settings> {
  const text = await open(privateKey, { settings: workspace }, sealed);
  const settings = text === undefined ? undefined : parseExactJson(text);
  const of = workspace === "" ? "the instance" : `the workspace ${workspace}`;
  if (!isJsonObject(settings)) throw new CommandError(`The settings of ${of} cannot be opened: ${WHY}`);
  return settings;
}

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { env, requireEnv } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import { publicKeyObject } from "../../core/people/signing-key.ts";
import type { SigningKey } from "../../ports/keys.ts";
import { objectTable } from "../dynamodb/object-table.ts";
import { readSecretValue } from "../secretsmanager/secret-values.ts";

/** RFC 8410: the bytes before the 32 bytes of an Ed25519 private key in PKCS #8. */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

let signing: Promise<SigningKey> | undefined;

/**
 * Returns the key that signs job tokens. Only executors may read its seed, which is a secret. Each executor publishes the public key once,
 * so that functions that verify tokens need no right to the secret.
 */
export function getSigningKey(): Promise<SigningKey> {
  signing ??= load().catch((error: unknown) => {
    signing = undefined;
    throw error;
  });
  return signing;
}

async function load(): Promise<SigningKey> {
  const secret = await readSecretValue(requireEnv(env.signingSecret));
  if (!secret) throw new Error("The signing secret is empty.");
  const seed = createHash("sha256").update(secret).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: "der", type: "pkcs8" });
  const pem = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
  const kid = createHash("sha256").update(pem).digest("hex").slice(0, 16);
  await objectTable.put({ ...publicKeyObject.key(kid), value: pem }, "absent");
  return { kid, privateKey };
}

/** The time between two reads of all public keys (ms). */
const LIST_EVERY_MS = 1000;
let nextListMs = 0;

/**
 * Does what `findPublicKey` does, for a function whose address strangers can reach: whatever key ids their tokens name, all keys are read
 * together, and at most once a second. Throws `engine.busy` for an unknown key between two reads, because it may have been published a
 * moment ago.
 */
export async function findListedKey(kid: string): Promise<KeyObject | undefined> {
  const cached = publicKeys.get(kid);
  if (cached) return cached;
  if (Date.now() < nextListMs) throw new SvcError("engine.busy", {});
  nextListMs = Date.now() + LIST_EVERY_MS;
  for (const { sk, value } of await objectTable.list(publicKeyObject.partitionKey())) {
    if (typeof value === "string") publicKeys.set(sk, createPublicKey(value));
  }
  return publicKeys.get(kid);
}

const publicKeys = new Map<string, KeyObject>();

/** Returns the public key that a token's header names, or `undefined` if no executor has published it. */
export async function findPublicKey(kid: string): Promise<KeyObject | undefined> {
  const cached = publicKeys.get(kid);
  if (cached) return cached;
  const found = await objectTable.get(publicKeyObject.key(kid));
  if (typeof found?.value !== "string") return undefined;
  const key = createPublicKey(found.value);
  publicKeys.set(kid, key);
  return key;
}

import { createPrivateKey, generateKeyPair, type KeyObject, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, exportJWK, SignJWT } from "jose";
import { INSTANCE } from "../../../contract/common.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { IdTokenJwk } from "../../../contract/routes/people/id-tokens.ts";
import type { ValueOf } from "../../../core/objects/define-object.ts";
import type { Actor, WorkspaceCaller } from "../../../core/people/actor.ts";
import { buildIdTokenClaims, findFlowOfIdToken, type IdTokenJob, idTokenKeyObject } from "../../../core/people/id-token.ts";
import { openSecret } from "../../../core/secrets/open.ts";
import { sealSecret } from "../../../core/secrets/seal.ts";
import type { DataKeys } from "../../../ports/keys.ts";
import type { Uses } from "../../uses.ts";

/** RSA, because AWS and other consumers of ID tokens accept no EdDSA. Job tokens have EdDSA only, so neither is accepted as the other. */
const ALGORITHM = "RS256";
/** No variable of any workspace has this path. */
const SEAL_CONTEXT = { workspace: INSTANCE, path: "#id-token" };
const KEY_VERSION = 1;

type StoredKey = ValueOf<typeof idTokenKeyObject>;

/**
 * Creates an ID token of the caller for an audience. It ends after `expiresInS` seconds, or with the token of the call. Throws
 * `auth.invalid` if the caller's job is gone.
 */
export async function createIdToken(
  deps: Uses<"jobs" | "objects" | "dataKeys" | "nowMs" | "baseUrl">,
  { actor, workspace }: WorkspaceCaller,
  { audience, expiresInS }: { audience: string; expiresInS: number },
): Promise<string> {
  const claims = buildIdTokenClaims(actor, workspace, await findOwnJob(deps, actor));
  const { kid, key } = await loadSigningKey(deps);
  const nowS = Math.floor(deps.nowMs() / 1000);
  const callEndsMs = actor.kind === "person" ? actor.tokenExpiresAtMs : undefined;
  const endS = Math.min(nowS + expiresInS, callEndsMs === undefined ? Number.POSITIVE_INFINITY : Math.floor(callEndsMs / 1000));
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" })
    .setIssuer(deps.baseUrl)
    .setAudience(audience)
    .setIssuedAt(nowS)
    .setNotBefore(nowS)
    .setExpirationTime(endS)
    .setJti(randomUUID())
    .sign(key);
}

/** Returns the public keys that verify ID tokens. The first call creates the key, so that a consumer can be configured before any token. */
export async function listIdTokenKeys(deps: Uses<"objects" | "dataKeys">): Promise<IdTokenJwk[]> {
  return [(await loadStoredKey(deps)).jwk];
}

/** Returns the OpenID Connect metadata of this service as an issuer. */
export function describeIdTokenIssuer(baseUrl: string) {
  return {
    issuer: baseUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [ALGORITHM],
    claims_supported: [
      ...["iss", "sub", "aud", "iat", "nbf", "exp", "jti"],
      ...["job_id", "path", "flow_path", "groups", "username", "email", "workspace"],
    ],
  };
}

/** Reads the job of the token, which the caller cannot choose. */
async function findOwnJob({ jobs }: Uses<"jobs">, actor: Actor): Promise<IdTokenJob | undefined> {
  if (actor.kind !== "job") return undefined;
  const job = await jobs.get(actor.jobId);
  if (!job) throw new SvcError("auth.invalid", {});
  const flow = findFlowOfIdToken(job);
  return { job, flow: flow === undefined ? undefined : await jobs.get(flow) };
}

let cached: { kid: string; key: KeyObject; untilMs: number } | undefined;

async function loadSigningKey(deps: Uses<"objects" | "dataKeys" | "nowMs">): Promise<{ kid: string; key: KeyObject }> {
  if (cached && cached.untilMs > deps.nowMs()) return cached;
  const { wrapped, privateKey, jwk } = await loadStoredKey(deps);
  const pem = openSecret(await deps.dataKeys.unwrap(INSTANCE, wrapped), SEAL_CONTEXT, privateKey);
  cached = { kid: jwk.kid, key: createPrivateKey(pem), untilMs: deps.nowMs() + limits.dataKeyCacheMs };
  return cached;
}

/** Concurrent first calls share the key that is stored first. */
async function loadStoredKey(deps: Uses<"objects" | "dataKeys">): Promise<StoredKey> {
  const stored = await deps.objects.get(idTokenKeyObject.key());
  if (stored) return idTokenKeyObject.parse(stored);
  await deps.objects.put({ ...idTokenKeyObject.key(), value: await generateStoredKey(deps.dataKeys) }, "absent");
  return loadStoredKey(deps);
}

async function generateStoredKey(dataKeys: DataKeys): Promise<StoredKey> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const { key, wrapped } = await dataKeys.generate(INSTANCE);
  const { n = "", e = "" } = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint({ kty: "RSA", n, e });
  const pem = pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  return {
    wrapped,
    privateKey: sealSecret({ version: KEY_VERSION, key }, SEAL_CONTEXT, pem),
    jwk: { kty: "RSA", n, e, kid, alg: ALGORITHM, use: "sig" },
  };
}

import { createPublicKey, X509Certificate } from "node:crypto";
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import { defined } from "../../contract/defined.ts";
import type { CredentialOf } from "../../core/http-routes/authentication/credential.ts";
import type { Authentication, RefusalReason } from "../../core/http-routes/authentication/outcome.ts";
import type { Uses } from "../uses.ts";

type TokenCredential = CredentialOf<"jwt_auth">;

const CHALLENGE = "Bearer";
const refused = (reason: RefusalReason): Authentication => ({ outcome: "refused", reason, challenge: CHALLENGE });
/** The clocks of an issuer and of this service may differ by this many seconds. */
const CLOCK_TOLERANCE_S = 30;
const MOST_CHARACTERS = 8192;

/** Authenticates a request by a JSON Web Token (RFC 7519) in its Authorization header. Its claims become the argument `jwt`. */
export async function verifyToken(
  { readKeySet, nowMs }: Uses<"readKeySet" | "nowMs">,
  credential: TokenCredential,
  authorization: string | undefined,
): Promise<Authentication> {
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) return refused(authorization === undefined ? "noCredential" : "wrongToken");
  if (token.length > MOST_CHARACTERS) return refused("wrongToken");
  const header = readHeader(token);
  if (!header) return refused("wrongToken");
  // Checked before any key is fetched.
  if (!credential.algorithms.some((name) => name === header.alg)) return refused("wrongAlgorithm");
  const options: JWTVerifyOptions = {
    algorithms: credential.algorithms,
    currentDate: new Date(nowMs()),
    clockTolerance: CLOCK_TOLERANCE_S,
    ...defined({ issuer: credential.issuer, audience: credential.audience }),
  };
  try {
    const payload = credential.jwks_url === undefined ? await verifyWithOwnKey(credential, token, options) : undefined;
    if (payload) return toAdmission(credential, payload);
    const keySet = await readKeySet(credential.jwks_url ?? "", header.kid);
    if ("retryAfterS" in keySet) return { outcome: "unavailable", retryAfterS: keySet.retryAfterS };
    return toAdmission(credential, await verifyWithKeySet(keySet, token, options));
  } catch (error) {
    return refused(toReason(error));
  }
}

function readHeader(token: string): { alg: string; kid: string | undefined } | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return typeof alg === "string" ? { alg, kid: typeof kid === "string" ? kid : undefined } : undefined;
  } catch {
    // This is not the header of a token.
    return undefined;
  }
}

async function verifyWithOwnKey({ secret, public_key: pem = "" }: TokenCredential, token: string, options: JWTVerifyOptions) {
  if (secret !== undefined) return (await jwtVerify(token, Buffer.from(secret, "utf8"), options)).payload;
  const key = pem.includes("CERTIFICATE") ? new X509Certificate(pem).publicKey : createPublicKey(pem);
  return (await jwtVerify(token, key, options)).payload;
}

/** A set may contain several keys that fit a token without a key id. Each one is tried. */
async function verifyWithKeySet(keySet: JSONWebKeySet, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  const findKey: JWTVerifyGetKey = createLocalJWKSet(keySet);
  try {
    return (await jwtVerify(token, findKey, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function toAdmission({ claims = {} }: TokenCredential, payload: JWTPayload): Authentication {
  const fits = Object.entries(claims).every(([name, expected]) => {
    const claim = Object.hasOwn(payload, name) ? payload[name] : undefined;
    return Array.isArray(claim) ? claim.includes(expected) : claim === expected;
  });
  return fits ? { outcome: "admitted", args: { jwt: payload }, secretHeaders: ["authorization"] } : refused("wrongClaim");
}

function toReason(error: unknown): RefusalReason {
  if (error instanceof errors.JWTExpired) return "tooOld";
  if (error instanceof errors.JWTClaimValidationFailed) return "wrongClaim";
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return "wrongAlgorithm";
  return error instanceof errors.JOSEError ? "wrongToken" : "noConfiguration";
}

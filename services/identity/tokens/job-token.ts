import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import type { findPublicKey as readPublicKey } from "../../../aws/kms/signing-keys.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { type JobClaims, jobClaimsSchema } from "../../../core/people/token.ts";
import type { SigningKey } from "../../../ports/keys.ts";

const ISSUER = "svc";

/**
 * Creates a short-lived JWT with the job's exact identity. It is valid for two minutes longer than the job's timeout, so that the result
 * can be stored.
 */
export async function createJobToken(key: SigningKey, job: Job, nowMs: number): Promise<string> {
  const claims: Omit<JobClaims, "sub"> = {
    job: job.id,
    att: job.attempt,
    ws: job.workspace,
    usr: job.createdBy,
    pa: job.permissionedAs,
    sa: job.superAdmin,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "EdDSA", kid: key.kid })
    .setIssuer(ISSUER)
    .setSubject(job.email)
    .setIssuedAt(Math.floor(nowMs / 1000))
    .setExpirationTime(Math.floor(nowMs / 1000) + job.timeoutS + 120)
    .sign(key.privateKey);
}

const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Verifies a job token and returns its claims. The caller must check whether the job is still running. Throws `auth.invalid`. */
export async function verifyJobToken(publicKey: typeof readPublicKey, token: string, nowMs: number): Promise<JobClaims> {
  const refused = (cause?: unknown) => new SvcError("auth.invalid", {}, { cause });
  let kid: unknown;
  try {
    kid = decodeProtectedHeader(token).kid;
  } catch (error) {
    throw refused(error);
  }
  // The header is not verified yet, so its key id may have any type and length, and the key of an item may not.
  const key = typeof kid === "string" && KEY_ID.test(kid) ? await publicKey(kid) : undefined;
  if (!key) throw refused();
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ["EdDSA"], issuer: ISSUER, currentDate: new Date(nowMs) });
    return jobClaimsSchema.parse(payload);
  } catch (error) {
    throw refused(error);
  }
}

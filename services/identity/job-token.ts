import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import type { publicKey as readPublicKey, SigningKey } from "../../aws/kms/signing-keys.ts";
import { SvcError } from "../../contract/errors.ts";
import type { Job } from "../../core/jobs/job.ts";
import { type JobClaims, jobClaimsSchema } from "../../core/people/token.ts";

const ISSUER = "svc";

/** A short-lived JWT with the job's exact identity. It outlives the run by the time that storing its result may take. */
export async function createJobToken(key: SigningKey, job: Job, attempt: number, username: string, nowMs: number): Promise<string> {
  const claims: Omit<JobClaims, "sub"> = {
    job: job.id,
    att: attempt,
    ws: job.workspace,
    usr: username,
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

/** Verifies a job token and returns its claims. The caller must check whether the job still runs. */
export async function verifyJobToken(publicKey: typeof readPublicKey, token: string, nowMs: number): Promise<JobClaims> {
  const refused = (cause?: unknown) => new SvcError("auth.invalid", {}, { cause });
  let kid: string | undefined;
  try {
    kid = decodeProtectedHeader(token).kid;
  } catch (error) {
    throw refused(error);
  }
  const key = kid === undefined ? undefined : await publicKey(kid);
  if (!key) throw refused();
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ["EdDSA"], issuer: ISSUER, currentDate: new Date(nowMs) });
    return jobClaimsSchema.parse(payload);
  } catch (error) {
    throw refused(error);
  }
}

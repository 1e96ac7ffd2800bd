import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import { childPrefix, childRef } from "../../core/jobs/lists/child-items.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { createMasker, type Masker } from "../../core/secrets/mask.ts";
import { decryptMasks, encryptMasks } from "../../core/secrets/mask-encryption.ts";
import type { PutRequest } from "../../ports/object-store.ts";
import type { Uses } from "../uses.ts";

/**
 * Records the secrets of a running attempt before the attempt receives them, so that every process that writes its output can mask them.
 * Returns the job as it is then, or `undefined` if the attempt is no longer running. With `first`, the audit log entries are written in the
 * same call, with the time (epoch ms) at which the job first received secrets.
 */
export async function recordSecrets(
  { jobs }: Uses<"jobs">,
  { id, attempt }: Pick<Job, "id" | "attempt">,
  { token, secrets }: { token: string; secrets: readonly string[] },
  first?: { audit: (atMs: number) => PutRequest[]; nowMs: number },
): Promise<Job | undefined> {
  const running = { and: [{ attr: "state", eq: "running" } as const, { attr: "attempt", eq: attempt } as const] };
  const job = await jobs.update(id, { masks: jobs.oneMore, ...(first ? { secretsAtMs: jobs.firstSecretsAt(first.nowMs) } : {}) }, running);
  if (!job) return undefined;
  // Counted first: if the count has no item, the job has not received these secrets.
  const expiresAtS = Math.ceil(job.expiresAtMs / 1000);
  const item = { parent: id, ref: childRef("mask", String(job.masks ?? 0)), json: encryptMasks(token, secrets), expiresAtS };
  await jobs.putWith([item], first?.audit(job.secretsAtMs ?? first.nowMs) ?? []);
  return job;
}

/**
 * Digests of the secrets that this process has already recorded, by job token and value: a script may request the same secret in a loop.
 */
const recordedDigests = new Set<string>();
const MAX_RECORDED = 10_000;

/** Records the secrets that a job requests over HTTP. Returns false if the attempt is no longer running. */
export async function recordSecretRead(
  deps: Uses<"jobs">,
  job: { jobId: string; attempt: number },
  token: string,
  secrets: readonly string[],
): Promise<boolean> {
  const names = new Map(
    secrets.filter((secret) => secret.length >= limits.maskedChars).map((secret) => [secretDigest(token, secret), secret]),
  );
  const fresh = [...names].filter(([name]) => !recordedDigests.has(name));
  if (fresh.length === 0) return true;
  const isRecorded = await recordSecrets(
    deps,
    { id: job.jobId, attempt: job.attempt },
    { token, secrets: fresh.map(([, secret]) => secret) },
  );
  if (!isRecorded) return false;
  if (recordedDigests.size > MAX_RECORDED) recordedDigests.clear();
  for (const [name] of fresh) recordedDigests.add(name);
  return true;
}
const secretDigest = (token: string, secret: string) => createHash("sha256").update(`${token}\n${secret}`).digest("base64");

/**
 * Creates a masker for the attempt's own token and all secrets that the attempt has received. It needs no read if the attempt received none.
 * `recordedSecrets` lists the secrets that the caller recorded for this attempt. If the job's record counts only that one item, no read is
 * necessary.
 */
export async function loadMasker(
  { jobs }: Uses<"jobs">,
  job: Pick<Job, "id" | "masks">,
  token: string,
  recordedSecrets: readonly string[] = [],
): Promise<Masker | undefined> {
  if (!job.masks) return maskerOf(token, []);
  if (job.masks === 1 && recordedSecrets.length > 0) return maskerOf(token, recordedSecrets);
  const boxes = await jobs.listChildren(job.id, childPrefix.mask);
  return maskerOf(
    token,
    boxes.flatMap(({ json }) => (json === undefined ? [] : decryptMasks(token, json))),
  );
}

const maskerOf = (token: string, secrets: readonly string[]) => createMasker([token, ...secrets]);

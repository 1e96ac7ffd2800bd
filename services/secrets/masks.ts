import { createHash } from "node:crypto";
import type { PutRequest } from "../../aws/dynamodb/batch.ts";
import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import { limits } from "../../contract/limits.ts";
import { childPrefix, childRef } from "../../core/jobs/child-items.ts";
import type { Job } from "../../core/jobs/job.ts";
import { type Masker, maskerOf } from "../../core/secrets/mask.ts";
import { boxSecrets, unboxSecrets } from "../../core/secrets/mask-box.ts";

interface MaskDeps {
  jobs: JobTable;
}

/**
 * Notes which secrets a running attempt gets, before it gets them: its output is masked by whoever writes it down. Answers the job
 * as it is then, or `undefined` when this attempt does not run any more. Entries of the audit log go with the note, in the same call, as
 * of the moment when the job first got secrets.
 */
export async function recordSecrets(
  { jobs }: MaskDeps,
  { id, attempt }: Pick<Job, "id" | "attempt">,
  token: string,
  secrets: readonly string[],
  first?: { audit: (atMs: number) => PutRequest[]; nowMs: number },
): Promise<Job | undefined> {
  const running = { and: [{ attr: "state", eq: "running" } as const, { attr: "attempt", eq: attempt } as const] };
  const job = await jobs.change(id, { masks: jobs.oneMore, ...(first ? { secretsAtMs: jobs.firstSecretsAt(first.nowMs) } : {}) }, running);
  if (!job) return undefined;
  // Counted first: who finds a number without its item knows that the job has not got these secrets.
  const expiresAtS = Math.ceil(job.expiresAtMs / 1000);
  const note = { parent: id, ref: childRef("mask", String(job.masks ?? 0)), json: boxSecrets(token, secrets), expiresAtS };
  await jobs.putWith([note], first?.audit(job.secretsAtMs ?? first.nowMs) ?? []);
  return job;
}

/** Secrets that this process has noted already, by job, attempt and value: a script asks for the same one in a loop. */
const noted = new Set<string>();
const NOTED_MOST = 10_000;

/** The same for what a job asks for over HTTP. False when the attempt does not run any more. */
export async function recordSecretRead(
  deps: MaskDeps,
  job: { jobId: string; attempt: number },
  token: string,
  secrets: readonly string[],
): Promise<boolean> {
  const names = new Map(secrets.filter((secret) => secret.length >= limits.maskedChars).map((secret) => [nameOf(token, secret), secret]));
  const fresh = [...names].filter(([name]) => !noted.has(name));
  if (fresh.length === 0) return true;
  const known = await recordSecrets(
    deps,
    { id: job.jobId, attempt: job.attempt },
    token,
    fresh.map(([, secret]) => secret),
  );
  if (!known) return false;
  if (noted.size > NOTED_MOST) noted.clear();
  for (const [name] of fresh) noted.add(name);
  return true;
}
const nameOf = (token: string, secret: string) => createHash("sha256").update(`${token}\n${secret}`).digest("base64");

/**
 * Masks what the attempt with this token has read so far; `undefined`, without a read, when it has read no secret. `given`: what the caller
 * has noted itself for this attempt. Where the record counts one note, that is it, and nothing is read either.
 */
export async function loadMasker(
  { jobs }: MaskDeps,
  job: Pick<Job, "id" | "masks">,
  token: string,
  given: readonly string[] = [],
): Promise<Masker | undefined> {
  if (!job.masks) return undefined;
  if (job.masks === 1 && given.length > 0) return maskerOf(given);
  const boxes = await jobs.children(job.id, childPrefix.mask);
  return maskerOf(boxes.flatMap(({ json }) => (json === undefined ? [] : unboxSecrets(token, json))));
}

import * as z from "zod";
import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { Storage } from "../../../aws/s3/storage.ts";
import { limits } from "../../../contract/limits.ts";
import { childRef } from "../../../core/jobs/child-items.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { RunOutcome, SharedFolder } from "../../../runners/protocol.ts";
import { jobPrefix } from "../values/values.ts";

interface SharedFolderDeps {
  jobs: JobTable;
  storage: Storage;
}
/** The archive that the last step has left. */
const keptSchema = z.object({ key: z.string(), sha256: z.string() });

/** Each attempt leaves its own archive, beside what its flow keeps, and goes with that. */
const archiveKey = ({ id, workspace, parent = "", attempt }: Job) => `${jobPrefix({ workspace, id: parent })}shared#${id}#${attempt}.zip`;

/** The folder `./shared` for an attempt of a step, as the step before has left it; nothing for steps that share none. */
export async function prepareSharedFolder(
  { jobs, storage }: SharedFolderDeps,
  job: Job,
  lifetimeS: number,
): Promise<SharedFolder | undefined> {
  if (job.parent === undefined || job.step?.shared === undefined) return undefined;
  const [item, putUrl] = await Promise.all([
    jobs.getChild(job.parent, childRef("sharedFolder", job.step.shared)),
    storage.writeUrl(archiveKey(job), lifetimeS),
  ]);
  const kept = item?.json === undefined ? undefined : keptSchema.parse(JSON.parse(item.json));
  const archive = kept && { url: await storage.readUrl(kept.key, lifetimeS), sha256: kept.sha256 };
  return { putUrl, maxBytes: limits.sharedFolderBytes, ...(archive ? { archive } : {}) };
}

/** Notes what an attempt has left, for the steps after it. */
export async function recordSharedFolder({ jobs }: SharedFolderDeps, job: Job, { shared }: RunOutcome): Promise<void> {
  if (!shared || job.parent === undefined || job.step?.shared === undefined) return;
  const json = JSON.stringify({ key: archiveKey(job), sha256: shared.sha256 });
  await jobs.putChild({
    parent: job.parent,
    ref: childRef("sharedFolder", job.step.shared),
    json,
    expiresAtS: Math.ceil(job.expiresAtMs / 1000),
  });
}

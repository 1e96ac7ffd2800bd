import * as z from "zod";
import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import { childRef } from "../../../core/jobs/lists/child-items.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { objectPrefix } from "../../../core/jobs/record/retention.ts";
import { recordFormat } from "../../../core/records/record-format.ts";
import type { RunOutcome, SharedFolder } from "../../../runners/protocol.ts";
import type { Uses } from "../../uses.ts";

/** The archive that the last step has written. */
const archiveFormat = recordFormat({ schema: z.object({ key: z.string(), sha256: z.string() }), version: 1 });

/** Each attempt writes its own archive, under the prefix of its flow, so that it is removed with the flow. */
const archiveKey = ({ id, parent = "", attempt, ...job }: Job) => `${objectPrefix({ ...job, id: parent })}shared#${id}#${attempt}.zip`;

/**
 * Returns the folder `./shared` for an attempt of a step, in the state after the previous step; `undefined` for steps that do not share a folder.
 */
export async function prepareSharedFolder(
  { jobs, storage }: Uses<"jobs" | "storage">,
  job: Job,
  lifetimeS: number,
): Promise<SharedFolder | undefined> {
  if (job.parent === undefined || job.step?.sharedFolder === undefined) return undefined;
  const [item, putUrl] = await Promise.all([
    jobs.getChild(job.parent, childRef("sharedFolder", job.step.sharedFolder)),
    storage.createUploadUrl(archiveKey(job), lifetimeS),
  ]);
  const previous = item && archiveFormat.parse(item);
  const archive = previous && { url: await storage.createDownloadUrl(previous.key, lifetimeS), sha256: previous.sha256 };
  return { putUrl, maxBytes: limits.sharedFolderBytes, ...defined({ archive }) };
}

/** Records the archive of an attempt for the next steps. */
export async function recordSharedFolder({ jobs }: Uses<"jobs">, job: Job, { shared }: RunOutcome): Promise<void> {
  if (!shared || job.parent === undefined || job.step?.sharedFolder === undefined) return;
  const json = archiveFormat.toJson({ key: archiveKey(job), sha256: shared.sha256 });
  await jobs.putChild({
    parent: job.parent,
    ref: childRef("sharedFolder", job.step.sharedFolder),
    json,
    expiresAtS: Math.ceil(job.expiresAtMs / 1000),
  });
}

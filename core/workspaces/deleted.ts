import * as z from "zod";
import { hasEnded, type Job } from "../jobs/job.ts";
import { findQueueWorkspace, findWorkspace, type ObjectKey } from "../objects/keys.ts";

const keySchema = z.object({ pk: z.string(), sk: z.string() });
/** A deleted workspace, and how far the removal of what it stored is. */
export const deletedSchema = z.object({
  id: z.string(),
  by: z.string(),
  atMs: z.number(),
  /** The current pass over the table. Without `cursor`, it is at the beginning. */
  pass: z.object({ beganMs: z.number(), cursor: keySchema.optional() }).optional(),
  /** When the last pass began that came to its end. */
  passedMs: z.number().optional(),
});
export type DeletedWorkspace = z.infer<typeof deletedSchema>;

/** Longer than any function runs: what had begun before the deletion has ended then, and writes no more. */
const SETTLED_MS = 16 * 60_000;
/** A runner without responses ends itself before that. */
const STOPPED_MS = 60_000;
export const DELETED_REASON = "the workspace was deleted";

/** Whether a pass is to be made now: one at once, and a last one when nothing can write any more. */
export function needsPurge({ atMs, passedMs }: DeletedWorkspace, nowMs: number): boolean {
  return passedMs === undefined || (passedMs < atMs + SETTLED_MS && nowMs >= atMs + SETTLED_MS);
}

/** Whether nothing is left, and nothing can come. */
export function isPurged({ atMs, passedMs }: DeletedWorkspace): boolean {
  return passedMs !== undefined && passedMs >= atMs + SETTLED_MS;
}

/** Whether a job's items may go: the runner of one that was stopped might still write some. */
export function isRemovableItem(job: Job, nowMs: number): boolean {
  return hasEnded(job) && (job.cancel?.reason !== DELETED_REASON || nowMs - job.endedAtMs >= STOPPED_MS);
}

/** Whether an item of the table belongs to a workspace; tokens do that are bound to it. */
export function belongsToWorkspace(workspace: string, item: ObjectKey & { workspace: string | undefined }): boolean {
  const bound = item.workspace === workspace && /^(TOKEN|USER)#/.test(item.pk);
  return bound || findWorkspace(item.pk) === workspace || findQueueWorkspace(item) === workspace;
}

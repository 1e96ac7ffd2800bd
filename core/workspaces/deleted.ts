import * as z from "zod";
import { hasEnded, type Job } from "../jobs/record/job.ts";
import { defineObject } from "../objects/define-object.ts";

const keySchema = z.object({ pk: z.string(), sk: z.string() });
/** A deleted workspace and the progress of the removal of its data. */
export const deletedSchema = z.object({
  id: z.string(),
  by: z.string(),
  atMs: z.number(),
  /** The current pass over the table. Without `cursor`, it is at the beginning. */
  pass: z.object({ beganMs: z.number(), cursor: keySchema.optional() }).optional(),
  /** The start of the last complete pass. */
  passedMs: z.number().optional(),
});
export type DeletedWorkspace = z.infer<typeof deletedSchema>;

/** Longer than any invocation: a function that was running at the deletion has ended by then and writes nothing more. */
const SETTLED_MS = 16 * 60_000;
/** A runner that receives no responses ends itself within this time. */
const STOPPED_MS = 60_000;
export const DELETED_REASON = "the workspace was deleted";

/** Returns whether a pass is due: one immediately, and a last one when nothing can write any more. */
export function needsPurge({ atMs, passedMs }: DeletedWorkspace, nowMs: number): boolean {
  return passedMs === undefined || (passedMs < atMs + SETTLED_MS && nowMs >= atMs + SETTLED_MS);
}

/** Returns whether all data is removed and no more data can be written. */
export function isPurged({ atMs, passedMs }: DeletedWorkspace): boolean {
  return passedMs !== undefined && passedMs >= atMs + SETTLED_MS;
}

/** Returns whether a job's items can be removed. The runner of a stopped job might still write some. */
export function isRemovableItem(job: Job, nowMs: number): boolean {
  return hasEnded(job) && (job.cancel?.reason !== DELETED_REASON || nowMs - job.endedAtMs >= STOPPED_MS);
}

/** A deleted workspace, until all its data is removed. */
export const deletedWorkspaceObject = defineObject({
  name: "deleted workspace",
  partition: "DELETED",
  sort: (workspace: string) => workspace,
  belongsTo: "none",
  schema: deletedSchema,
});

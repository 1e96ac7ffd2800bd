import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Job } from "../../core/jobs/job.ts";
import { loadJobActor } from "../identity/identify.ts";

/**
 * Who must be allowed to read what the arguments refer to, with their rights now, whatever they were when the job was queued. Of a run on
 * behalf of somebody that is its starter as well: they choose the references, and must not get at things of the other's by choosing.
 */
export async function findReaders({ objects }: { objects: ObjectTable }, job: Job) {
  const { starter } = job;
  const ofStarter =
    starter === undefined ? [] : [await loadJobActor(objects, { ...job, email: starter, permissionedAs: `u/${job.createdBy}` })];
  return [await loadJobActor(objects, job), ...ofStarter];
}

import type { Job } from "../../core/jobs/record/job.ts";
import { loadJobActor } from "../identity/identify.ts";
import type { Uses } from "../uses.ts";

/**
 * Returns the actors who must be allowed to read the references in a job's arguments, with their current rights. For a run on behalf of another
 * user, the starter is one of them: the starter chooses the references and must not gain access to the other user's objects.
 */
export async function findReaders({ objects }: Uses<"objects">, job: Job) {
  const { starter } = job;
  const ofStarter =
    starter === undefined ? [] : [await loadJobActor(objects, { ...job, email: starter, permissionedAs: `u/${job.createdBy}` })];
  return [await loadJobActor(objects, job), ...ofStarter];
}

import { childPrefix } from "../../../core/jobs/child-items.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { JobDataOwner } from "../../jobs/erasure/job-data.ts";
import { jobPrefix, type ValueDeps } from "../../jobs/values/values.ts";
import { GATE_CHILD, listGateIds } from "./change-gate.ts";

/** Removes the gates of a run, with the payloads of their approvals, when the run is erased or removed. */
export const approvalJobData: JobDataOwner = { erase: removeGates, remove: removeGates };

/** Removes the gates of a run with the payloads of their approvals. The audit log remains. */
async function removeGates({ jobs, storage }: ValueDeps, job: Job): Promise<void> {
  for (const id of await listGateIds({ jobs }, job.id)) {
    for (const { ref } of await jobs.listChildren(id, childPrefix.approval)) await jobs.deleteItem(id, ref);
    await storage.deletePrefix(`${jobPrefix({ id, workspace: job.workspace })}${childPrefix.approval}`);
    await jobs.deleteItem(id, GATE_CHILD);
  }
}

import type { Job } from "../../../core/jobs/job.ts";
import { jobPrefix, type ValueDeps } from "../../jobs/values/values.ts";
import { GATE, gateIds } from "./change-gate.ts";

/** What came with approvals is erased, or removed, with the run. The record of who decided stays. */
export async function removeGates({ jobs, storage }: ValueDeps, job: Job): Promise<void> {
  for (const id of await gateIds({ jobs }, job.id)) {
    for (const { ref } of await jobs.children(id, APPROVAL)) await jobs.deleteItem(id, ref);
    await storage.removePrefix(`${jobPrefix({ id, workspace: job.workspace })}${APPROVAL}`);
    await jobs.deleteItem(id, GATE);
  }
}

/** Under names that begin so payloads are kept. */
const APPROVAL = "approval#";

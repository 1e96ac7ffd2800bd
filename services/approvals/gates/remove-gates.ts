import type { Gate } from "../../../core/approvals/gate.ts";
import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { type DataOwner, objectPrefix } from "../../../core/jobs/record/retention.ts";
import type { JobDataOwner } from "../../jobs/erasure/job-data.ts";
import type { Uses } from "../../uses.ts";
import { GATE_CHILD, listGateIds, loadGate } from "./change-gate.ts";

/** Removes the gates of a run, with the payloads of their approvals, when the run is erased or removed. */
export const approvalJobData: JobDataOwner = { listRetained: listGateItems, erase: eraseGates, remove: removeGates };

/** A gate has the id of its step's job. It is part of the flow, not of the step's job, so it stays until the flow has ended. */
async function listGateItems(deps: Uses<"jobs">, { id }: Job): Promise<string[]> {
  const gate = await loadGate(deps, id);
  return gate && !(await hasFlowEnded(deps, gate)) ? [GATE_CHILD, childPrefix.approval] : [];
}

async function hasFlowEnded({ jobs }: Uses<"jobs">, { flow }: Gate): Promise<boolean> {
  const job = await jobs.get(flow);
  return !job || hasEnded(job);
}

/** Removes the gates of a run that is erased, except those of nested flows that have not ended yet. */
async function eraseGates(deps: Uses<"jobs" | "storage">, job: Job): Promise<void> {
  for (const id of await listGateIds(deps, job.id)) {
    const gate = await loadGate(deps, id);
    if (gate && (await hasFlowEnded(deps, gate))) await removeGate(deps, { ...job, id });
  }
}

/** Removes the gates of a run with the payloads of their approvals. The audit log remains. */
async function removeGates(deps: Uses<"jobs" | "storage">, job: DataOwner): Promise<void> {
  for (const id of await listGateIds(deps, job.id)) await removeGate(deps, { ...job, id });
}

async function removeGate({ jobs, storage }: Uses<"jobs" | "storage">, { id, workspace, retention }: DataOwner): Promise<void> {
  for (const { ref } of await jobs.listChildren(id, childPrefix.approval)) await jobs.deleteItem(id, ref);
  await storage.deletePrefix(`${objectPrefix({ id, workspace, retention })}${childPrefix.approval}`);
  await jobs.deleteItem(id, GATE_CHILD);
}

import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { eraseAfterReply } from "../../jobs/erasure/erase-after-reply.ts";
import { checkQueueLimit } from "../../jobs/queue/queue-limit.ts";
import type { Uses } from "../../uses.ts";
import { createCheckedJob, type RunCall } from "./run-request.ts";
import { joinRun, runFlowSync, runSync, type SyncResult } from "./run-sync.ts";
import { findPreviousRunOf, type StartRunOptions } from "./start-run.ts";

export type RunAndWaitDeps = Uses<
  | "followUps"
  | "jobData"
  | "jobs"
  | "objects"
  | "storage"
  | "queue"
  | "functions"
  | "signingKey"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "waitsForMs"
  | "syncLimitMs"
  | "worker"
  | "tenancy"
  | "baseUrl"
  | "internalUrl"
  | "beatUrl"
>;

/** The time for which a result that its caller did not receive in time remains readable before it is erased. */
const UNREAD_RESULT_S = 3600;

/**
 * Runs a job and returns its result. A call with a known idempotency key joins the earlier run. If the script or flow requests erasure, the
 * run is erased after its result was read. Throws as `startRun` does, and `job.syncTimeout` and `job.erased`.
 */
export async function runAndWait(
  deps: RunAndWaitDeps,
  request: RunCall,
  { queueLimit }: Pick<StartRunOptions, "queueLimit"> = {},
): Promise<SyncResult & { replayed: boolean }> {
  const { actor, workspace } = request.job;
  const previous = await findPreviousRunOf(deps, request);
  if (previous) return { ...(await joinRun(deps, actor, previous, await deps.syncLimitMs())), replayed: true };
  await checkQueueLimit(deps, workspace, queueLimit);
  return { ...(await runNew(deps, request)), replayed: false };
}

async function runNew(deps: RunAndWaitDeps, request: RunCall): Promise<SyncResult> {
  const job = await createCheckedJob(deps, request);
  const limitMs = await deps.syncLimitMs();
  if (!request.version) {
    return job.kind === "flowpreview" ? runFlowSync(deps, job, limitMs) : runSync(deps, job, undefined, limitMs);
  }
  const { target } = request.version;
  const { deleteAfterS } = target.version;
  const run = { ...job, eraseAfterS: deleteAfterS === undefined ? undefined : Math.max(deleteAfterS, UNREAD_RESULT_S) };
  // A script with the retries of a trigger runs as the only step of a flow.
  const isScript = target.kind === "script" && job.kind === "script";
  const answer = await (isScript ? runSync(deps, run, target.version, limitMs) : runFlowSync(deps, run, limitMs));
  if (deleteAfterS !== undefined) await eraseAfterAnswer(deps, answer, deleteAfterS);
  return answer;
}

/**
 * Erases a run whose result was returned, but not before the link to a large result expires. If that fails, the caller still gets the result, and
 * housekeeping erases the run.
 */
async function eraseAfterAnswer(deps: RunAndWaitDeps, { id, linkS = 0 }: SyncResult, deleteAfterS: number): Promise<void> {
  try {
    await eraseAfterReply(deps, id, Math.max(deleteAfterS, linkS));
  } catch (error) {
    reportFailure("The run could not be erased after its answer", error, { job: id });
  }
}

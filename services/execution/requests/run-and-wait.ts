import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { eraseAfterReply } from "../../jobs/erasure/erase-after-reply.ts";
import type { EraseJobDeps } from "../../jobs/erasure/job-data.ts";
import { checkQueueLimit } from "../../jobs/queue/queue-limit.ts";
import { type CreateNewJobDeps, createNewJob, type RunRequest, runOptions } from "./run-request.ts";
import { joinRun, type RunSyncDeps, runFlowSync, runSync, type SyncResult } from "./run-sync.ts";
import { findPreviousRunOf, type StartRunOptions } from "./start-run.ts";

type RunAndWaitDeps = RunSyncDeps & CreateNewJobDeps & EraseJobDeps & { syncLimitMs: () => Promise<number> };

/** How long a result that its caller did not receive in time stays readable before it is erased. */
const UNANSWERED_S = 3600;

/**
 * Runs a job and returns its answer. A call whose idempotency key is known joins the earlier run. When the script or flow asks for erasure, the
 * run is erased once its answer has been read. Throws as `startRun` does, and `job.syncTimeout` and `job.erased`.
 */
export async function runAndWait(
  deps: RunAndWaitDeps,
  request: RunRequest,
  { queueLimit }: Pick<StartRunOptions, "queueLimit"> = {},
): Promise<SyncResult & { replayed: boolean }> {
  const { actor, workspace } = runOptions(request);
  const previous = await findPreviousRunOf(deps, request);
  if (previous) return { ...(await joinRun(deps, actor, previous, await deps.syncLimitMs())), replayed: true };
  await checkQueueLimit(deps, workspace, queueLimit);
  return { ...(await runNew(deps, request)), replayed: false };
}

async function runNew(deps: RunAndWaitDeps, request: RunRequest): Promise<SyncResult> {
  const job = await createNewJob(deps, request);
  const limitMs = await deps.syncLimitMs();
  if ("preview" in request) {
    return job.kind === "flowpreview" ? runFlowSync(deps, job, limitMs) : runSync(deps, job, undefined, limitMs);
  }
  const { target } = request;
  const { deleteAfterS } = target.version;
  const run = { ...job, eraseAfterS: deleteAfterS === undefined ? undefined : Math.max(deleteAfterS, UNANSWERED_S) };
  const answer = await (target.kind === "flow" ? runFlowSync(deps, run, limitMs) : runSync(deps, run, target.version, limitMs));
  if (deleteAfterS !== undefined) await eraseAnswered(deps, answer, deleteAfterS);
  return answer;
}

/** A result behind a link stays for as long as the link works. Housekeeping repeats an erasure that fails here: the caller gets the answer anyway. */
async function eraseAnswered(deps: RunAndWaitDeps, { id, linkS = 0 }: SyncResult, deleteAfterS: number): Promise<void> {
  try {
    await eraseAfterReply(deps, id, Math.max(deleteAfterS, linkS));
  } catch (error) {
    reportFailure("The run could not be erased after its answer", error, { job: id });
  }
}

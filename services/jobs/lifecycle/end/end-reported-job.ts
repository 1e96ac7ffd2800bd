import type { RunningJob } from "../../../../core/jobs/record/job.ts";
import type { EndedJobWithResult } from "../../../../core/jobs/record/lifecycle.ts";
import type { RunOutcome } from "../../../../runners/protocol.ts";
import { loadMasker } from "../../../secrets/masks.ts";
import type { Uses } from "../../../uses.ts";
import { recordSharedFolder } from "../shared-folder.ts";
import { completeEnd, type EndJobDeps } from "./end-job.ts";
import { maskOutcome } from "./mask-report.ts";
import { stageReport } from "./stage-report.ts";
import { stageLogs } from "./stage-result.ts";

/** The report of a runner about one attempt. `recordedSecrets` lists the secrets that the caller passed to this attempt and recorded. */
export interface RunReport {
  outcome: RunOutcome;
  token: string;
  recordedSecrets?: readonly string[] | undefined;
}

/**
 * Ends the current attempt of a job as its runner reported. The first report wins: a second one finds another state, has no effect and returns
 * `undefined`. Output and result are stored first.
 */
export async function endReportedJob(
  deps: EndJobDeps,
  claimed: RunningJob,
  { outcome: reported, token, recordedSecrets }: RunReport,
): Promise<EndedJobWithResult | undefined> {
  const job = await reloadCurrentAttempt(deps, claimed, reported);
  if (!job) return undefined;
  await recordSharedFolder(deps, job, reported);
  const masker = await loadMasker(deps, job, token, recordedSecrets);
  const masked = maskOutcome(masker, reported);
  const ended = await completeEnd(deps, job, await stageReport(deps, job, { reported, masked, masker }));
  if (ended) return ended;
  // The job may have read a secret after its record was read. The output that was stored above is then stored again, masked.
  const now = await deps.jobs.get(job.id);
  if (!now || now.masks === job.masks) return undefined;
  if (now.state === "running" && now.nonce === job.nonce) return endReportedJob(deps, now, { outcome: reported, token });
  const late = await loadMasker(deps, now, token);
  if (late) await stageLogs(deps, job, maskOutcome(late, reported).logs);
  return undefined;
}

/**
 * A longer run also reports its end itself, so its record is read again. So is that of a run with secrets: masked output must not be
 * replaced by unmasked output.
 */
const RECHECK_AFTER_MS = 4000;

async function reloadCurrentAttempt({ jobs }: Uses<"jobs">, job: RunningJob, { timings }: RunOutcome): Promise<RunningJob | undefined> {
  if (job.masks === undefined && timings.totalMs < RECHECK_AFTER_MS) return job;
  const now = await jobs.get(job.id);
  return now?.state === "running" && now.nonce === job.nonce ? now : undefined;
}

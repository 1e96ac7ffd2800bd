import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import type { BeatReply, BeatRequest, ReportRequest } from "../../runners/protocol.ts";
import { cancelOfParent } from "../jobs/cancel/cancel-of-parent.ts";
import type { EndJobDeps } from "../jobs/lifecycle/end/end-job.ts";
import { endReportedJob } from "../jobs/lifecycle/end/end-reported-job.ts";
import { storeOutput } from "../jobs/values/values.ts";
import { loadMasker } from "../secrets/masks.ts";

/** The reporting attempt, identified by its job token. */
interface AttemptReference {
  id: string;
  workspace: string;
  token: string;
}

/**
 * Records a runner's heartbeat: stores its output, renews the lease and returns whether to continue. Throws `job.attemptLost` for an
 * attempt that is no longer current. Its output is discarded, because the job's own code has the token of this route and must not overwrite
 * the output of another attempt.
 */
export async function recordHeartbeat(deps: EndJobDeps, { id, token }: AttemptReference, body: BeatRequest): Promise<BeatReply> {
  const { jobs, nowMs } = deps;
  const now = nowMs();
  const { attempt, nonce, logs, memPeakKb } = body;
  const isCurrent = (job: Job | undefined) => job?.state === "running" && job.nonce === nonce && job.attempt === attempt;
  // The record contains the length of the output, so the output is stored before it is counted.
  if (logs?.text) {
    const job = await jobs.get(id);
    if (!job || !isCurrent(job)) throw new SvcError("job.attemptLost", { id });
    const masker = await loadMasker(deps, job, token);
    const output = masker ? { ...logs, text: masker.chunk(logs.text) } : logs;
    await storeOutput(deps, job, { attempt, ...output });
  }
  const job = await jobs.update(
    id,
    {
      leaseUntilMs: now + limits.leaseMs,
      lastPingMs: now,
      ...(logs ? { logChars: logs.offset + logs.text.length } : {}),
      ...(memPeakKb ? { memPeakKb } : {}),
    },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "nonce", eq: nonce },
        { attr: "attempt", eq: attempt },
      ],
    },
  );
  if (!job) throw new SvcError("job.attemptLost", { id });
  return toReply(await cancelWithFlow(deps, job), now);
}

/** Cancels a step whose flow has ended, because a flow ends without informing its steps. */
async function cancelWithFlow({ jobs }: EndJobDeps, job: Job): Promise<Job> {
  const cancel = job.cancel ? undefined : await cancelOfParent({ jobs }, job);
  if (!cancel) return job;
  return (await jobs.update(job.id, { cancel }, { attr: "state", eq: "running" })) ?? { ...job, cancel };
}

function toReply(job: Job, nowMs: number): BeatReply {
  const watched = (job.watchedUntilMs ?? 0) > nowMs;
  return job.cancel ? { go: "stop", reason: job.cancel.reason, watched } : { go: "on", watched };
}

/** Records a runner's own report of its result, and returns one sentence. Idempotent. Throws `job.attemptLost`. */
export async function recordReport(deps: EndJobDeps, { id, token }: AttemptReference, body: ReportRequest): Promise<string> {
  const job = await deps.jobs.get(id);
  if (job?.state !== "running" || job.nonce !== body.nonce || job.attempt !== body.attempt) throw new SvcError("job.attemptLost", { id });
  return (await endReportedJob(deps, job, { outcome: body.outcome, token })) ? "The report was accepted." : "The job had already ended.";
}

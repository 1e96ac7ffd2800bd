import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { BeatReply, BeatRequest, ReportRequest } from "../../runners/protocol.ts";
import { type FinishJobDeps, finishJob } from "../jobs/lifecycle/finish.ts";
import { storeOutput } from "../jobs/values/values.ts";
import { loadMasker } from "../secrets/masks.ts";

/** The attempt that sends the heartbeat, from the job token. */
interface HeartbeatDeps {
  id: string;
  workspace: string;
  token: string;
}

/**
 * Records a runner's heartbeat: stores its output, renews the lease and returns whether to continue. An attempt that no longer counts
 * is stopped and its output is discarded: the job's code knows the token of this route, so it must not be able to overwrite the
 * output of an ended job or of another attempt.
 */
export async function recordHeartbeat(deps: FinishJobDeps, { id, workspace, token }: HeartbeatDeps, said: BeatRequest): Promise<BeatReply> {
  const { jobs, nowMs } = deps;
  const now = nowMs();
  const { attempt, nonce, logs, memPeakKb } = said;
  const counts = (job: Job | undefined) => job?.state === "running" && job.nonce === nonce && job.attempt === attempt;
  // The record contains the length of the output, so the output is stored before it is counted.
  if (logs?.text) {
    const job = await jobs.get(id);
    if (!job || !counts(job)) throw new SvcError("job.attemptLost", { id });
    const masker = await loadMasker(deps, job, token);
    const output = masker ? { ...logs, text: masker.chunk(logs.text) } : logs;
    await storeOutput(deps, { id, workspace, expiresAtMs: now + limits.jobRetentionMs }, { attempt, ...output });
  }
  const job = await jobs.change(
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
  return replyTo(await cancelWithFlow(deps, job), now);
}

/** Cancels a step whose flow has ended, because a flow ends without informing its steps. */
async function cancelWithFlow({ jobs }: FinishJobDeps, job: Job): Promise<Job> {
  if (!job.step || job.cancel || job.parent === undefined) return job;
  const flow = await jobs.get(job.parent);
  if (flow?.state === "running" && !flow.cancel) return job;
  const cancel = flow?.cancel ?? { by: "svc", reason: "its flow has ended" };
  return (await jobs.change(job.id, { cancel }, { attr: "state", eq: "running" })) ?? { ...job, cancel };
}

function replyTo(job: Job, nowMs: number): BeatReply {
  const watched = (job.watchedUntilMs ?? 0) > nowMs;
  return job.cancel ? { go: "stop", reason: job.cancel.reason, watched } : { go: "on", watched };
}

/** Records a runner's own report of its result. A repeated report, or one of a lost attempt, changes nothing. */
export async function recordReport(deps: FinishJobDeps, { id, token }: HeartbeatDeps, said: ReportRequest): Promise<string> {
  const job = await deps.jobs.get(id);
  if (job?.state !== "running" || job.nonce !== said.nonce || job.attempt !== said.attempt) throw new SvcError("job.attemptLost", { id });
  return (await finishJob(deps, job, said.outcome, token)) ? "The report counted." : "The job had already ended.";
}

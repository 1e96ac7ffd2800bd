import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { BeatReply, BeatRequest, ReportRequest } from "../../runners/protocol.ts";
import { type FinishJobDeps, finishJob } from "../jobs/lifecycle/finish.ts";
import { storeOutput } from "../jobs/values/values.ts";
import { loadMasker } from "../secrets/masks.ts";

/** Who beats: what the job token says. */
interface HeartbeatDeps {
  id: string;
  workspace: string;
  token: string;
}

/**
 * A runner's sign of life: keeps its output, renews the lease and says whether to go on. An attempt that does not count any more
 * is told to stop, and its output is not kept: the job's code knows the token of this route, so what it sends must not write over
 * the output of an ended job or of another attempt.
 */
export async function recordHeartbeat(deps: FinishJobDeps, { id, workspace, token }: HeartbeatDeps, said: BeatRequest): Promise<BeatReply> {
  const { jobs, nowMs } = deps;
  const now = nowMs();
  const { attempt, nonce, logs, memPeakKb } = said;
  const counts = (job: Job | undefined) => job?.state === "running" && job.nonce === nonce && job.attempt === attempt;
  // The record names how much output there is, so the output is kept before it is counted.
  if (logs?.text) {
    const job = await jobs.get(id);
    if (!job || !counts(job)) throw new SvcError("job.attemptLost", { id });
    const masker = await loadMasker(deps, job, token);
    const output = masker ? { ...logs, text: masker.chunk(logs.text) } : logs;
    await storeOutput(deps, { id, workspace, expiresAtMs: now + limits.jobRetentionMs }, attempt, output);
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

/** A step is canceled with its flow, which ends without asking its steps. */
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

/** A runner's own report. It counts if it comes first; a repeated one, or a lost attempt's, changes nothing. */
export async function recordReport(deps: FinishJobDeps, { id, token }: HeartbeatDeps, said: ReportRequest): Promise<string> {
  const job = await deps.jobs.get(id);
  if (job?.state !== "running" || job.nonce !== said.nonce || job.attempt !== said.attempt) throw new SvcError("job.attemptLost", { id });
  return (await finishJob(deps, job, said.outcome, token)) ? "The report counted." : "The job had already ended.";
}

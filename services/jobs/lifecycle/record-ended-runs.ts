import type { Child } from "../../../aws/dynamodb/job-table.ts";
import { limits } from "../../../contract/limits.ts";
import type { EndedJob, RunningJob, ValueLocation } from "../../../core/jobs/job.ts";
import { toEnding } from "../../../core/jobs/lifecycle.ts";
import type { Masker } from "../../../core/secrets/mask.ts";
import { countEndedJob } from "../../../core/telemetry/telemetry.ts";
import type { NextOutcome } from "../../../runners/protocol.ts";
import { outputRef, stageValue, storeOutput } from "../values/values.ts";
import { type FinishJobDeps, fitsJobHead, maskOutcome, storeRedactedResult } from "./finish.ts";

/** A job that began and ended within the runner call of another job. It has no record yet. */
export interface EndedRun {
  job: RunningJob;
  outcome: NextOutcome;
  /** Where its result is when it was too large for the answer. */
  resultKey: string;
  /** Items that belong to it. */
  children: Child[];
}

/** Records jobs that have already ended, with their values and output, in as few calls as possible. */
export async function recordEndedRuns(deps: FinishJobDeps, ran: readonly EndedRun[], masker: Masker | undefined): Promise<EndedJob[]> {
  const kept = await Promise.all(ran.map((each) => endedJob(deps, each, masker)));
  // The head is written last, so that a job can be found only when all its values exist.
  const children = kept.flatMap((each) => each.children);
  if (children.length > 0) await deps.jobs.putWith(children, []);
  await deps.jobs.putWith(
    [],
    kept.map(({ job }) => deps.jobs.putRequest(job)),
  );
  return kept.map(({ job }) => job);
}

async function endedJob(deps: FinishJobDeps, ran: EndedRun, masker: Masker | undefined): Promise<{ job: EndedJob; children: Child[] }> {
  const { job } = ran;
  const outcome = masker ? maskOutcome(masker, ran.outcome) : ran.outcome;
  const { state, resultJson } = toEnding(job, outcome);
  const children = [...ran.children];
  const result = await placeOf(deps, ran, resultJson, children);
  const shown = masker && !outcome.resultUploaded ? await storeRedactedResult(deps, job, masker, resultJson) : undefined;
  const { text } = outcome.logs;
  if (text && Buffer.byteLength(text) <= limits.itemBytes) {
    const expiresAtS = Math.ceil(job.expiresAtMs / 1000);
    children.push({ parent: job.id, ref: outputRef(1, 0), text, chars: text.length, expiresAtS });
  } else if (text) await storeOutput(deps, job, { attempt: 1, ...outcome.logs });
  const { nonce: _, leaseUntilMs: __, watchedUntilMs: ___, ...fields } = job;
  const { startedAtMs, endedAtMs, memPeakKb } = ran.outcome;
  const more = { startedAtMs, endedAtMs, logChars: text.length, ...(memPeakKb ? { memPeakKb } : {}), ...(shown ? { shown } : {}) };
  countEndedJob({ state, kind: job.kind });
  return { job: { ...fields, ...more, state, result, erased: false }, children };
}

async function placeOf(
  deps: FinishJobDeps,
  { job, outcome, resultKey }: EndedRun,
  json: string,
  children: Child[],
): Promise<ValueLocation> {
  if (outcome.resultUploaded) return { in: "s3", key: resultKey, bytes: outcome.resultUploaded.bytes };
  if (fitsJobHead(job, json)) return { in: "head", json };
  return stageValue(deps, job, { what: "end", json }, children);
}

import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import { buildEndPreviews, fitsJobHead } from "../../../core/jobs/record/head-size.ts";
import type { EndedJob, RunningJob } from "../../../core/jobs/record/job.ts";
import { toEnding } from "../../../core/jobs/record/lifecycle.ts";
import type { ValueLocation } from "../../../core/jobs/record/value-ref.ts";
import type { Masker } from "../../../core/secrets/mask.ts";
import { countEndedJob } from "../../../core/telemetry/telemetry.ts";
import type { NextOutcome } from "../../../runners/protocol.ts";
import type { Uses } from "../../uses.ts";
import { outputRef, stageValue, storeOutput, storeValueOutsideHead } from "../values/values.ts";
import { maskOutcome, redactResult } from "./end/mask-report.ts";
import { addStreamToResult, addStreamToUpload } from "./streamed-result.ts";

/** A job that began and ended within the runner call of another job, and has no record yet. */
export interface EndedRun {
  job: RunningJob;
  outcome: NextOutcome;
  /** The S3 key of a result that was too large for the reply. */
  resultKey: string;
  /** Further items of the job. */
  children: Child[];
}

/** Records jobs that have already ended, with their values and output, in as few calls as possible. */
export async function recordEndedRuns(
  deps: Uses<"jobs" | "storage">,
  runs: readonly EndedRun[],
  masker: Masker | undefined,
): Promise<EndedJob[]> {
  const ended = await Promise.all(runs.map((each) => toEndedJob(deps, each, masker)));
  // The head is written last, so that a job can be found only when all its values exist.
  const children = ended.flatMap((each) => each.children);
  if (children.length > 0) await deps.jobs.putWith(children, []);
  await deps.jobs.putWith(
    [],
    ended.map(({ job }) => deps.jobs.putRequest(job)),
  );
  return ended.map(({ job }) => job);
}

async function toEndedJob(
  deps: Uses<"jobs" | "storage">,
  runs: EndedRun,
  masker: Masker | undefined,
): Promise<{ job: EndedJob; children: Child[] }> {
  const { job } = runs;
  const outcome = maskOutcome(masker, runs.outcome);
  const streamed = await addStreamToResult(deps, job, runs.outcome);
  const { state, resultJson } = toEnding(job, { ...outcome, result: streamed });
  const children = [...runs.children];
  const { resultUploaded, logs } = outcome;
  const result = resultUploaded
    ? await addStreamToUpload(deps, job, logs, { key: runs.resultKey, bytes: resultUploaded.bytes })
    : await stageResult(deps, job, resultJson, children);
  const redacted = masker && !resultUploaded ? redactResult(masker, resultJson) : undefined;
  const redactedResult = redacted === undefined ? undefined : await storeValueOutsideHead(deps, job, "redacted", redacted);
  const { text } = logs;
  if (text && Buffer.byteLength(text) <= limits.itemBytes) {
    const expiresAtS = Math.ceil(job.expiresAtMs / 1000);
    children.push({ parent: job.id, ref: outputRef(1, 0), text, chars: text.length, expiresAtS });
  } else if (text) await storeOutput(deps, job, { attempt: 1, ...logs });
  const { nonce: _, leaseUntilMs: __, watchedUntilMs: ___, ...fields } = job;
  const { startedAtMs, endedAtMs, memPeakKb } = runs.outcome;
  const more = {
    startedAtMs,
    endedAtMs,
    logChars: text.length,
    ...(memPeakKb ? { memPeakKb } : {}),
    ...defined({ redactedResult }),
    ...(resultUploaded ? {} : buildEndPreviews(job, { result, redactedResult }, redacted ?? resultJson)),
  };
  const ended: EndedJob = { ...fields, ...more, state, result, erased: false };
  countEndedJob(ended);
  return { job: ended, children };
}

async function stageResult(deps: Uses<"jobs" | "storage">, job: RunningJob, json: string, children: Child[]): Promise<ValueLocation> {
  if (fitsJobHead(job, json)) return { in: "head", json };
  return stageValue(deps, job, { kind: "result", json }, children);
}

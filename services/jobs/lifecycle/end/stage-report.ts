import { defined } from "../../../../contract/defined.ts";
import { limits } from "../../../../contract/limits.ts";
import { buildArgsPreview, buildEndPreviews, fitsJobHead } from "../../../../core/jobs/record/head-size.ts";
import type { Job, RunningJob } from "../../../../core/jobs/record/job.ts";
import { type Ending, toEnding } from "../../../../core/jobs/record/lifecycle.ts";
import { resultObjectKey } from "../../../../core/jobs/record/retention.ts";
import type { ValueLocation } from "../../../../core/jobs/record/value-ref.ts";
import { escapeReferences } from "../../../../core/resources/references.ts";
import type { Masker } from "../../../../core/secrets/mask.ts";
import type { RunOutcome } from "../../../../runners/protocol.ts";
import type { Uses } from "../../../uses.ts";
import { type OutputChunk, storeOutput, storeValue, storeValueOutsideHead } from "../../values/values.ts";
import { addStreamToResult, addStreamToUpload } from "../streamed-result.ts";
import { type MaskedOutcome, redactResult } from "./mask-report.ts";
import { stageLogs } from "./stage-result.ts";
import type { StagedEnd } from "./staged-end.ts";

interface MaskedReport {
  reported: RunOutcome;
  masked: MaskedOutcome;
  masker: Masker | undefined;
}

/** Stores the values of a report. Their names contain the attempt, so a repeated call is harmless. */
export async function stageReport(
  deps: Uses<"jobs" | "storage">,
  job: RunningJob,
  { reported, masked, masker }: MaskedReport,
): Promise<StagedEnd> {
  const prepared = await stagePreprocessed(deps, job, masked);
  // A run is killed because it was canceled after it was claimed: only the record contains the cancellation.
  const marked = masked.outcome === "killed" ? await deps.jobs.get(job.id) : undefined;
  // The beginning of a longer stream was stored without secrets, so its end contains no remains of a secret either.
  const streamed = await addStreamToResult(deps, job, reported.logs.offset > 0 ? { ...reported, logs: masked.logs } : reported);
  const ending = toEnding(marked?.cancel ? { ...job, cancel: marked.cancel } : job, { ...masked, result: streamed });
  const { logs, memPeakKb } = masked;
  const uploaded = await stageUpload(deps, job, masked);
  const { result, logChars } = uploaded
    ? { result: uploaded, logChars: await stageLogs(deps, job, logs) }
    : await stageReturned(deps, { ...job, ...prepared }, ending, logs);
  const redacted = masker && !uploaded ? redactReturned(job, masker, ending) : undefined;
  const redactedResult = redacted === undefined ? undefined : await storeValueOutsideHead(deps, job, "redacted", redacted);
  const fields = {
    ...prepared,
    logChars: Math.max(logChars, job.logChars),
    ...(memPeakKb ? { memPeakKb } : {}),
    ...defined({ redactedResult }),
    ...(uploaded ? {} : buildEndPreviews({ ...job, ...prepared }, { result, redactedResult }, redacted ?? ending.resultJson)),
  };
  return {
    state: ending.state,
    result,
    fields,
    // The number of recorded secrets must be the same as when the masker was created.
    condition: job.masks === undefined ? { attr: "masks", exists: false } : { attr: "masks", eq: job.masks },
    isReusable: ending.state === "succeeded",
    ...(uploaded ? {} : { resultJson: ending.resultJson }),
  };
}

/**
 * Replaces the preprocessor's arguments by those that it returned for `main`. Another run with them must not resolve references in their texts.
 */
async function stagePreprocessed(deps: Uses<"jobs" | "storage">, job: RunningJob, { preprocessed }: RunOutcome) {
  if (!preprocessed || job.preprocess !== "wanted") return {};
  const input = escapeReferences(preprocessed) as object;
  const args = await storeValue(deps, job, "args", JSON.stringify(input));
  return { args, ...buildArgsPreview(job, args, input), preprocess: "done" as const };
}

/** Returns the location of a large result, which the runner has stored in S3; `undefined` for other results. */
async function stageUpload(
  deps: Uses<"jobs" | "storage">,
  job: RunningJob,
  { outcome, resultUploaded, logs }: MaskedOutcome,
): Promise<ValueLocation | undefined> {
  if (!resultUploaded || outcome !== "success") return undefined;
  return addStreamToUpload(deps, job, logs, { key: resultObjectKey(job, job.attempt), bytes: resultUploaded.bytes });
}

/** Stores a result that the runner has returned, in one item with the output if both fit. */
async function stageReturned(
  deps: Uses<"jobs" | "storage">,
  job: Job,
  { resultJson }: Ending,
  logs: OutputChunk,
): Promise<{ result: ValueLocation; logChars: number }> {
  const bytes = Buffer.byteLength(resultJson);
  if (fitsJobHead(job, resultJson)) {
    return { result: { in: "head", json: resultJson }, logChars: await stageLogs(deps, job, logs) };
  }
  if (bytes <= limits.itemBytes) {
    const ref = await storeOutput(deps, job, { attempt: job.attempt, ...logs, resultJson });
    return { result: { in: "item", ref }, logChars: logs.offset + logs.text.length };
  }
  const key = resultObjectKey(job, job.attempt);
  await deps.storage.putObject(key, resultJson, "application/json");
  return { result: { in: "s3", key, bytes }, logChars: await stageLogs(deps, job, logs) };
}

/** Returns the JSON text of a result without secrets; `undefined` if the result contains none. */
function redactReturned(job: RunningJob, masker: Masker, { resultJson }: Ending): string | undefined {
  // The forms of a token are the same in JSON text, so most results are not parsed.
  const mayHide = job.masks !== undefined || masker.text(resultJson) !== resultJson;
  return mayHide ? redactResult(masker, resultJson) : undefined;
}

import type { HeadChange } from "../../../aws/dynamodb/job-items.ts";
import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { parseExactJson } from "../../../contract/exact-json.ts";
import { laterMs } from "../../../contract/iso-time.ts";
import { limits } from "../../../contract/limits.ts";
import { type EndedJob, type EndState, hasEnded, type Job, type RunningJob } from "../../../core/jobs/job.ts";
import { type Ending, toEnding } from "../../../core/jobs/lifecycle.ts";
import { type DataOwner, expiryAfterEndMs, objectPrefix } from "../../../core/jobs/retention.ts";
import type { ValueLocation, ValueRef } from "../../../core/jobs/value-ref.ts";
import { escapeReferences } from "../../../core/resources/references.ts";
import type { Masker } from "../../../core/secrets/mask.ts";
import { countEndedJob, reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { RunOutcome } from "../../../runners/protocol.ts";
import { loadMasker } from "../../secrets/masks.ts";
import { type CachedResult, stageCachedStream, storeCacheEntry } from "../cache/cache.ts";
import { copyValue, type OutputChunk, storeOutput, storeValue, storeValueOutsideHead, type ValueDeps } from "../values/values.ts";
import { buildFollowUp, type FollowUpDeps, requestFollowUp } from "./follow-ups.ts";
import { nextCheckMs } from "./next-check.ts";
import type { RetryDeps } from "./retry-while-busy.ts";
import { recordSharedFolder } from "./shared-folder.ts";
import { addStreamToResult, addStreamToUpload } from "./streamed-result.ts";

export interface FinishJobDeps extends ValueDeps, RetryDeps, FollowUpDeps {
  nowMs: () => number;
}

/** A job that has just ended, with the JSON text of its result unless the runner stored it in S3. */
export type FinishedJob = EndedJob & { resultJson?: string };

/** The S3 key of a result that is too large for the runner's reply. */
export const resultObjectKey = (job: DataOwner, attempt: number) => `${objectPrefix(job)}result#${attempt}.json`;

/** The size of a head with an inline result, below which a write takes one write unit. */
const MAX_HEAD_BYTES = 1000;

/** Approximately the size of the head that DynamoDB bills: its names and values as text. */
function countHeadBytes(job: Job): number {
  return Buffer.byteLength(JSON.stringify(job));
}

/** Returns whether a result can be stored in the job's head. */
export function fitsJobHead(job: Job, json: string): boolean {
  const bytes = Buffer.byteLength(json);
  return bytes <= limits.inlineBytes && countHeadBytes(job) + bytes <= MAX_HEAD_BYTES;
}

/**
 * Ends the current attempt of a job as its runner reported. The first report wins: a second one finds another state, changes nothing and
 * returns `undefined`. Output and result are stored first. Their names contain the attempt, so repeating this is harmless. `given` lists
 * the secrets that the caller gave to this attempt and recorded.
 */
export async function finishJob(
  deps: FinishJobDeps,
  claimed: RunningJob,
  reported: RunOutcome,
  { token, given }: { token: string; given?: readonly string[] | undefined },
): Promise<FinishedJob | undefined> {
  const job = await reloadCurrentAttempt(deps, claimed, reported);
  if (!job) return undefined;
  await recordSharedFolder(deps, job, reported);
  const masker = await loadMasker(deps, job, token, given);
  const outcome = masker ? maskOutcome(masker, reported) : reported;
  const prepared = await storePreprocessed(deps, job, outcome);
  // A run is killed because it was canceled after it was claimed: only the record contains the cancellation.
  const marked = outcome.outcome === "killed" ? await deps.jobs.get(job.id) : undefined;
  // The beginning of a longer stream was stored without secrets, so its end contains no remains of one either.
  const result = await addStreamToResult(deps, job, reported.logs.offset > 0 ? { ...reported, logs: outcome.logs } : reported);
  const ending = toEnding(marked?.cancel ? { ...job, cancel: marked.cancel } : job, { ...outcome, result });
  const { logs, memPeakKb, resultUploaded } = outcome;
  const uploaded: ValueLocation | undefined =
    resultUploaded && outcome.outcome === "success"
      ? await addStreamToUpload(deps, job, logs, { key: resultObjectKey(job, job.attempt), bytes: resultUploaded.bytes })
      : undefined;
  const { result: location, logChars } = uploaded
    ? { result: uploaded, logChars: await storeLogs(deps, job, logs) }
    : await storeEnding(deps, { ...job, ...prepared }, ending, logs);
  // The forms of a token are the same in JSON text, so most results are not parsed.
  const mayHide = job.masks !== undefined || masker?.text(ending.resultJson) !== ending.resultJson;
  const redactedResult = masker && mayHide && !uploaded ? await storeRedactedResult(deps, job, masker, ending.resultJson) : undefined;
  const extra = {
    ...prepared,
    logChars: Math.max(logChars, job.logChars),
    ...(memPeakKb ? { memPeakKb } : {}),
    ...(redactedResult ? { redactedResult } : {}),
  };
  const sameMasks: MasksCondition = job.masks === undefined ? { attr: "masks", exists: false } : { attr: "masks", eq: job.masks };
  // Equal runs may use the cached result from now on. If the entry cannot be written, they run.
  const remembered =
    ending.state === "succeeded"
      ? storeCacheEntry(deps, job, deps.nowMs()).catch((error: unknown) =>
          reportFailure("The result could not be cached", error, { job: job.id }),
        )
      : undefined;
  const [ended] = await Promise.all([writeEnd(deps, job, { ...extra, state: ending.state, result: location }, sameMasks), remembered]);
  if (!ended) {
    // The job may have read a secret after its record was read. The output that was stored above is then stored again, masked.
    const now = await deps.jobs.get(job.id);
    if (now && now.masks !== job.masks) {
      if (now.state === "running" && now.nonce === job.nonce) return finishJob(deps, now, reported, { token });
      const late = await loadMasker(deps, now, token);
      if (late) await storeLogs(deps, job, maskOutcome(late, reported).logs);
    }
  }
  return ended && !uploaded ? { ...ended, resultJson: ending.resultJson } : ended;
}

/** Replaces the preprocessor's arguments by those that it returned for `main`. Another run with them must not read what their texts refer to. */
async function storePreprocessed(deps: ValueDeps, job: RunningJob, { preprocessed }: RunOutcome) {
  if (!preprocessed || job.preprocess !== "wanted") return {};
  return { args: await storeValue(deps, job, "args", JSON.stringify(escapeReferences(preprocessed))), preprocess: "done" as const };
}

/**
 * A longer run also reports its end itself, so its record is read again. So is that of a run with secrets: masked output must not be
 * replaced by unmasked output.
 */
const RECHECK_AFTER_MS = 4000;

async function reloadCurrentAttempt({ jobs }: FinishJobDeps, job: RunningJob, { timings }: RunOutcome): Promise<RunningJob | undefined> {
  if (job.masks === undefined && timings.totalMs < RECHECK_AFTER_MS) return job;
  const now = await jobs.get(job.id);
  return now?.state === "running" && now.nonce === job.nonce ? now : undefined;
}

/** Masks the secrets in a run's report, except in its result, which the next step needs. */
export function maskOutcome(masker: Masker, outcome: RunOutcome): RunOutcome & { logs: OutputChunk } {
  const { logs, error, preprocessed } = outcome;
  return {
    ...outcome,
    logs: { offset: logs.offset, text: masker.chunk(logs.text), bytes: Buffer.byteLength(logs.text) },
    ...(error ? { error: masker.value(error) as typeof error } : {}),
    // People read these arguments, and a preprocessor may have added a secret.
    ...(preprocessed ? { preprocessed: masker.value(preprocessed) as typeof preprocessed } : {}),
  };
}

/** Stores the redacted copy of a result; `undefined` if the result contains no secret. */
export async function storeRedactedResult(
  deps: ValueDeps,
  job: Job,
  masker: Masker,
  resultJson: string,
): Promise<ValueLocation | undefined> {
  const redacted = JSON.stringify(masker.value(parseExactJson(resultJson)));
  return redacted === resultJson ? undefined : storeValueOutsideHead(deps, job, "redacted", redacted);
}

/**
 * Ends a job without a report: canceled while it waited or ran, lost for good, or refused before its code ran. Later output of its runner is
 * stored under other names, so it changes no value of this end. `log` is for jobs without a runner.
 */
export async function endJob(
  deps: FinishJobDeps,
  job: Job,
  ending: Ending,
  { log = "", extra = {} }: { log?: string; extra?: HeadChange } = {},
): Promise<EndedJob | undefined> {
  const logChars = await storeLogs(deps, job, { offset: 0, text: log });
  const { resultJson } = ending;
  const result: ValueLocation = fitsJobHead(job, resultJson)
    ? { in: "head", json: resultJson }
    : await storeValueOutsideHead(deps, job, "result", resultJson);
  return writeEnd(deps, job, { ...extra, logChars: Math.max(logChars, job.logChars), state: ending.state, result });
}

/** Ends a job with an earlier result instead of running it. Its stream is written in one transaction with the end. */
export async function endJobFromCache(
  deps: FinishJobDeps & { objects: Pick<ObjectTable, "transactWrite"> },
  job: Job,
  known: CachedResult,
): Promise<EndedJob | undefined> {
  const { jobs, objects } = deps;
  const { result, ...extra } = known.fields;
  const stream = await stageCachedStream(deps, job, known);
  const followUp = await buildFollowUp(deps, job, "succeeded");
  const { change, condition } = buildEnd(deps, job, { ...extra, ...followUp, state: "succeeded", result });
  if (stream.length === 0) return countEnd(deps, await jobs.update(job.id, change, condition));
  const parts = [jobs.updateParams(job.id, change, condition), ...stream.map((child) => jobs.putChildParams(child))];
  const refused = await objects.transactWrite(parts.map((raw) => ({ raw })));
  return refused === undefined ? countEnd(deps, await jobs.get(job.id)) : undefined;
}

/** Ends a job with its own stored value or that of another job. The job gets its own copy, so that each copy is erased with its job. */
export async function endJobWithValue(
  deps: FinishJobDeps,
  job: Job,
  state: EndState,
  { jobId, location, redacted }: ValueRef,
): Promise<EndedJob | undefined> {
  const copy = (value: ValueLocation, what: "result" | "redacted") =>
    jobId === job.id && value.in !== "head" ? { location: value } : copyValue(deps, { from: { id: jobId }, location: value }, job, what);
  const [{ location: own }, redactedCopy] = await Promise.all([
    copy(location, "result"),
    redacted ? copy(redacted, "redacted") : undefined,
  ]);
  const result = own.in === "head" && !fitsJobHead(job, own.json) ? await storeValueOutsideHead(deps, job, "result", own.json) : own;
  return writeEnd(deps, job, { state, result, ...(redactedCopy ? { redactedResult: redactedCopy.location } : {}) });
}

async function storeLogs(deps: ValueDeps, job: Job, logs: OutputChunk): Promise<number> {
  if (logs.text) await storeOutput(deps, job, { attempt: job.attempt, ...logs });
  return logs.offset + logs.text.length;
}

async function storeEnding(
  deps: ValueDeps,
  job: Job,
  ending: Ending,
  logs: OutputChunk,
): Promise<{ result: ValueLocation; logChars: number }> {
  const { resultJson } = ending;
  const bytes = Buffer.byteLength(resultJson);
  if (fitsJobHead(job, resultJson)) {
    return { result: { in: "head", json: resultJson }, logChars: await storeLogs(deps, job, logs) };
  }
  if (bytes <= limits.itemBytes) {
    const ref = await storeOutput(deps, job, { attempt: job.attempt, ...logs, resultJson });
    return { result: { in: "item", ref }, logChars: logs.offset + logs.text.length };
  }
  const key = resultObjectKey(job, job.attempt);
  await deps.storage.putObject(key, resultJson, "application/json");
  return { result: { in: "s3", key, bytes }, logChars: await storeLogs(deps, job, logs) };
}

/** The number of recorded secrets must be the same as when the masker was created. */
type MasksCondition = { attr: "masks"; exists: false } | { attr: "masks"; eq: number };

type End = Pick<Ending, "state"> & { result: ValueLocation } & HeadChange;

async function writeEnd(deps: EndDeps & FollowUpDeps, job: Job, end: End, ...conditions: MasksCondition[]): Promise<EndedJob | undefined> {
  const followUp = await buildFollowUp(deps, job, end.state);
  const { change, condition } = buildEnd(deps, job, { ...end, ...followUp }, ...conditions);
  return countEnd(deps, await deps.jobs.update(job.id, change, condition));
}

/** Counts the job if it has ended, and asks for what follows. */
async function countEnd(deps: FollowUpDeps, changed: Job | undefined): Promise<EndedJob | undefined> {
  if (!changed || !hasEnded(changed)) return undefined;
  countEndedJob(changed);
  await requestFollowUp(deps, changed);
  return changed;
}

interface EndDeps {
  jobs: JobTable;
  nowMs: () => number;
}

/** Builds the change that ends a job, and the condition that the job is as it was read. */
function buildEnd({ jobs, nowMs }: EndDeps, job: Job, { state, result, ...extra }: End, ...conditions: MasksCondition[]) {
  const nonce = job.state === "running" ? [{ attr: "nonce", eq: job.nonce } as const] : [];
  const condition = { and: [{ attr: "state", eq: job.state } as const, ...nonce, ...conditions] };
  const endedAtMs = nowMs();
  // The caller may die before it erases the run, or may have stopped waiting.
  const eraseAtMs = job.eraseAfterS === undefined ? undefined : laterMs(endedAtMs, job.eraseAfterS);
  const erase = eraseAtMs === undefined ? {} : { eraseAtMs };
  // Housekeeping checks which steps are due for erasure, whether everything that ran for a flow was stopped, and whether handlers were started.
  const checkAtMs = Math.min(
    (job.erasesSteps === undefined ? eraseAtMs : endedAtMs) ?? Number.POSITIVE_INFINITY,
    nextCheckMs({ stopping: extra.stopping, followUp: extra.followUp, endedAtMs }, endedAtMs),
  );
  const due = Number.isFinite(checkAtMs) ? jobs.dueAt(job.id, checkAtMs) : jobs.noLongerDue(job, state);
  const expiresAtS = Math.ceil(expiryAfterEndMs(job, endedAtMs) / 1000);
  return { change: { ...jobs.cleared, ...erase, ...due, ...extra, state, result, endedAtMs, expiresAtS }, condition };
}

import type { HeadChange, JobTable } from "../../../aws/dynamodb/job-table.ts";
import { limits } from "../../../contract/limits.ts";
import { type EndedJob, type EndState, hasEnded, type Job, type RunningJob, type ValueLocation } from "../../../core/jobs/job.ts";
import { type Ending, toEnding } from "../../../core/jobs/lifecycle.ts";
import type { Masker } from "../../../core/secrets/mask.ts";
import { countEndedJob, reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { RunOutcome } from "../../../runners/protocol.ts";
import { loadMasker } from "../../secrets/masks.ts";
import { type CachedResult, storeCachedStream, storeCacheEntry } from "../cache/cache.ts";
import { copyValue, jobPrefix, type OutputChunk, storeOutput, storeValue, storeValueApart, type ValueDeps } from "../values/values.ts";
import { recordSharedFolder } from "./shared-folder.ts";

export interface FinishJobDeps extends ValueDeps {
  nowMs: () => number;
}

/** A job that has just ended, with the JSON text of its result unless the runner stored it in S3. */
export type FinishedJob = EndedJob & { resultJson?: string };

/** The S3 key of a result that is too large for the runner's reply. */
export const resultObjectKey = (job: Pick<Job, "id" | "workspace">, attempt: number) => `${jobPrefix(job)}result#${attempt}.json`;

/** Bytes that the head may have besides the result for it to stay within one write unit. */
const HEAD_ROOM = 1000;

/** About what DynamoDB bills for the head: its names and values as text. */
function headBytes(job: Job): number {
  return Buffer.byteLength(JSON.stringify(job));
}

export function fitsJobHead(job: Job, json: string): boolean {
  const bytes = Buffer.byteLength(json);
  return bytes <= limits.inlineBytes && headBytes(job) + bytes <= HEAD_ROOM;
}

/**
 * Ends the attempt that still counts. The first report wins: a second one finds another state, changes nothing and gets `undefined`. Output
 * and result are stored first; their names contain the attempt, so that repeating this is harmless. `given` names the secrets that the
 * caller itself gave this attempt and recorded.
 */
export async function finishJob(
  deps: FinishJobDeps,
  claimed: RunningJob,
  reported: RunOutcome,
  token: string,
  given?: readonly string[],
): Promise<FinishedJob | undefined> {
  const job = await reloadUnchanged(deps, claimed, reported);
  if (!job) return undefined;
  await recordSharedFolder(deps, job, reported);
  const masker = await loadMasker(deps, job, token, given);
  const outcome = masker ? maskOutcome(masker, reported) : reported;
  const prepared = await storePreprocessed(deps, job, outcome);
  // A run is killed because it was canceled after it was claimed: only the record contains the cancellation.
  const marked = outcome.outcome === "killed" ? await deps.jobs.get(job.id) : undefined;
  const ending = toEnding(marked?.cancel ? { ...job, cancel: marked.cancel } : job, outcome);
  const { logs, memPeakKb, resultUploaded } = outcome;
  const uploaded: ValueLocation | undefined =
    resultUploaded && outcome.outcome === "success"
      ? { in: "s3", key: resultObjectKey(job, job.attempt), bytes: resultUploaded.bytes }
      : undefined;
  const { result, logChars } = uploaded
    ? { result: uploaded, logChars: await storeLogs(deps, job, logs) }
    : await storeEnding(deps, { ...job, ...prepared }, ending, logs);
  const shown = masker && !uploaded ? await storeRedactedResult(deps, job, masker, ending.resultJson) : undefined;
  const extra = {
    ...prepared,
    logChars: Math.max(logChars, job.logChars),
    ...(memPeakKb ? { memPeakKb } : {}),
    ...(shown ? { shown } : {}),
  };
  const sameMasks: MasksCondition = job.masks === undefined ? { attr: "masks", exists: false } : { attr: "masks", eq: job.masks };
  // An equal run may be answered from the cache from now on. Should noting that fail, it runs.
  const remembered =
    ending.state === "succeeded"
      ? storeCacheEntry(deps, job, deps.nowMs()).catch((error: unknown) =>
          reportFailure("The result could not be cached", error, { job: job.id }),
        )
      : undefined;
  const [ended] = await Promise.all([end(deps, job, { ...ending, result }, extra, sameMasks), remembered]);
  if (!ended) {
    // Refused, perhaps because it has read a secret since its record was read: then what was kept just now is kept again, masked.
    const now = await deps.jobs.get(job.id);
    if (now && now.masks !== job.masks) {
      if (now.state === "running" && now.nonce === job.nonce) return finishJob(deps, now, reported, token);
      const late = await loadMasker(deps, now, token);
      if (late) await storeLogs(deps, job, maskOutcome(late, reported).logs);
    }
  }
  return ended && !uploaded ? { ...ended, resultJson: ending.resultJson } : ended;
}

/** The arguments that `main` got take the place of what its preprocessor got. */
async function storePreprocessed(deps: ValueDeps, job: RunningJob, { preprocessed }: RunOutcome) {
  if (!preprocessed || job.preprocess !== "wanted") return {};
  return { args: await storeValue(deps, job, "args", JSON.stringify(preprocessed)), preprocess: "done" as const };
}

/** A run that reports its end itself as well, or has read secrets, is looked at again: what was kept masked must not be kept anew as it was. */
const REPORTED_MS = 4000;

async function reloadUnchanged({ jobs }: FinishJobDeps, job: RunningJob, { timings }: RunOutcome): Promise<RunningJob | undefined> {
  if (job.masks === undefined && timings.totalMs < REPORTED_MS) return job;
  const now = await jobs.get(job.id);
  return now?.state === "running" && now.nonce === job.nonce ? now : undefined;
}

/** What a run reports, as it may be written down: the result stays, because the next step needs it. */
export function maskOutcome(masker: Masker, outcome: RunOutcome): RunOutcome & { logs: OutputChunk } {
  const { logs, error, preprocessed } = outcome;
  return {
    ...outcome,
    logs: { offset: logs.offset, text: masker.chunk(logs.text), bytes: Buffer.byteLength(logs.text) },
    ...(error ? { error: masker.value(error) as typeof error } : {}),
    // What its arguments were is for people to read; a preprocessor may have put a secret there.
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
  const shown = JSON.stringify(masker.value(JSON.parse(resultJson)));
  return shown === resultJson ? undefined : storeValueApart(deps, job, "shown", shown);
}

/**
 * Ends a job without a report: canceled while it waited or ran, lost for good, or refused before its code ran. Later output of its runner is
 * stored under other names, so it changes no value of this end. `log` is for jobs without a runner.
 */
export async function endJob(
  deps: FinishJobDeps,
  job: Job,
  ending: Ending,
  log = "",
  extra: HeadChange = {},
): Promise<EndedJob | undefined> {
  const logChars = await storeLogs(deps, job, { offset: 0, text: log });
  const { resultJson } = ending;
  const result: ValueLocation = fitsJobHead(job, resultJson)
    ? { in: "head", json: resultJson }
    : await storeValueApart(deps, job, "end", resultJson);
  return end(deps, job, { ...ending, result }, { ...extra, logChars: Math.max(logChars, job.logChars) });
}

/** Ends a job with an earlier result instead of running it. */
export async function endJobFromCache(deps: FinishJobDeps, job: Job, known: CachedResult): Promise<EndedJob | undefined> {
  const { result, ...extra } = known.fields;
  await storeCachedStream(deps, job, known);
  return end(deps, job, { state: "succeeded", result }, extra);
}

/** Ends a job with a stored value of its own or of another job. The job gets its own copy, so that each copy is erased with its job. */
export async function endJobWithValue(
  deps: FinishJobDeps,
  job: Job,
  state: EndState,
  { of, place, shown }: { of: string; place: ValueLocation; shown?: ValueLocation | undefined },
): Promise<EndedJob | undefined> {
  const own = (value: ValueLocation, what: "end" | "shown") =>
    of === job.id && value.in !== "head" ? { place: value } : copyValue(deps, { from: { id: of }, place: value }, job, what);
  const [result, seen] = await Promise.all([own(place, "end"), shown ? own(shown, "shown") : undefined]);
  const kept =
    result.place.in === "head" && !fitsJobHead(job, result.place.json)
      ? await storeValueApart(deps, job, "end", result.place.json)
      : result.place;
  return end(deps, job, { state, result: kept }, seen ? { shown: seen.place } : {});
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
  await deps.storage.put(key, resultJson, "application/json");
  return { result: { in: "s3", key, bytes }, logChars: await storeLogs(deps, job, logs) };
}

/** As many secrets read as when the masks were made. */
type MasksCondition = { attr: "masks"; exists: false } | { attr: "masks"; eq: number };

async function end(
  { jobs, nowMs }: { jobs: JobTable; nowMs: () => number },
  job: Job,
  { state, result }: Pick<Ending, "state"> & { result: ValueLocation },
  extra: HeadChange,
  ...also: MasksCondition[]
): Promise<EndedJob | undefined> {
  const nonce = job.state === "running" ? [{ attr: "nonce", eq: job.nonce } as const] : [];
  const condition = { and: [{ attr: "state", eq: job.state } as const, ...nonce, ...also] };
  const endedAtMs = nowMs();
  // Its caller may die before it erases anything, or may not have waited so long.
  const eraseAtMs = job.eraseAfterS === undefined ? undefined : endedAtMs + job.eraseAfterS * 1000;
  const erase = eraseAtMs === undefined ? {} : { eraseAtMs };
  // Housekeeping looks which steps it is time for.
  const lookAtMs = job.erasesSteps === undefined ? eraseAtMs : endedAtMs;
  const look = lookAtMs === undefined ? {} : jobs.dueAt(job.id, lookAtMs);
  const changed = await jobs.change(job.id, { ...jobs.cleared, ...erase, ...look, ...extra, state, result, endedAtMs }, condition);
  if (!changed || !hasEnded(changed)) return undefined;
  countEndedJob(changed);
  return changed;
}

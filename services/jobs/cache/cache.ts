import * as z from "zod";
import type { Child, HeadChange } from "../../../aws/dynamodb/job-items.ts";
import { defined } from "../../../contract/defined.ts";
import { isSvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { laterMs } from "../../../contract/utilities/iso-time.ts";
import { fileObjectKey } from "../../../core/files/file-key.ts";
import { type CacheInputs, computeCacheKey, findFileReferences } from "../../../core/jobs/cache.ts";
import type { EndedJob, Job } from "../../../core/jobs/record/job.ts";
import { expiryAfterEndMs } from "../../../core/jobs/record/retention.ts";
import type { ValueLocation } from "../../../core/jobs/record/value-ref.ts";
import { recordFormat } from "../../../core/records/record-format.ts";
import { StreamLines } from "../../../core/streams/stream-lines.ts";
import { loadFileStorage } from "../../settings/file-storage.ts";
import type { Uses } from "../../uses.ts";
import { copyValue, loadLogs, stageOutput } from "../values/values.ts";

const ENTRY = "result";
const cacheEntryFormat = recordFormat({ schema: z.object({ job: z.string(), atMs: z.number() }), version: 1 });

/**
 * Returns the cache key of a job, including the content of the files in its arguments. Returns `undefined` if there are more than
 * `limits.cachedFiles` files, or if they are in another storage than the stack's bucket.
 */
export async function resolveCacheKey(
  { storage, objects }: Uses<"objects" | "storage">,
  job: Job,
  args: unknown,
  inputs: Omit<CacheInputs, "files">,
): Promise<string | undefined> {
  const { keys, elsewhere } = findFileReferences(args);
  const places = keys.flatMap((key) => toObjectLocation(job.workspace, key) ?? []);
  if (elsewhere || places.length > limits.cachedFiles) return undefined;
  if (places.length > 0 && (await loadFileStorage(objects, job.workspace))) return undefined;
  const files = await Promise.all(places.map(async ({ key, location }) => [key, await storage.getObjectEtag(location)] as const));
  return computeCacheKey(job, { ...inputs, files: new Map(files) });
}

function toObjectLocation(workspace: string, key: string): { key: string; location: string } | undefined {
  try {
    return { key, location: fileObjectKey(workspace, key) };
  } catch (error) {
    // The text is not a file key.
    if (isSvcError(error) && error.code === "file.key") return undefined;
    throw error;
  }
}

/**
 * Records that a job's result may be used for equal runs from now on. The entry names the job and contains no value, so a result that was
 * erased or has expired with its job is never returned. It may be written before the job ends, because `findCachedResult` accepts only jobs
 * that succeeded.
 */
export async function storeCacheEntry({ jobs }: Uses<"jobs">, job: Job, atMs: number): Promise<void> {
  const { id, cacheKey: parent, cacheTtlS } = job;
  if (parent === undefined || cacheTtlS === undefined) return;
  const expiresAtS = Math.ceil(Math.min(laterMs(atMs, cacheTtlS), job.expiresAtMs) / 1000);
  await jobs.putChild({ parent, ref: ENTRY, json: cacheEntryFormat.toJson({ job: id, atMs }), expiresAtS });
}

/** An earlier result, copied as the new job's own. */
export interface CachedResult {
  /** Fields for the job's record. */
  fields: { cachedFrom: string; result: ValueLocation; redactedResult?: ValueLocation; resultPreview?: string; logChars: number };
  resultJson?: string;
  /** The lines of output that are the run's stream. */
  stream: string;
}

/** Finds a cached result for this job; `undefined` if there is none that is recent enough and still exists. */
export async function findCachedResult(deps: Uses<"jobs" | "storage" | "nowMs">, job: Job): Promise<CachedResult | undefined> {
  const { jobs, nowMs } = deps;
  const { cacheKey: parent, cacheTtlS = 0 } = job;
  if (parent === undefined) return undefined;
  const entry = await jobs.getChild(parent, ENTRY);
  if (!entry) return undefined;
  const { job: id, atMs } = cacheEntryFormat.parse(entry);
  // TTL deletes late, and the caller's own limit may be shorter than that of the entry.
  if (Math.min(entry.expiresAtS * 1000, laterMs(atMs, cacheTtlS)) <= nowMs()) return undefined;
  const origin = await jobs.get(id);
  if (origin?.state !== "succeeded" || origin.erased) return undefined;
  try {
    return await copyResult(deps, origin, job);
  } catch (error) {
    // A value that was erased during the copy counts as absent. Any other error is thrown.
    const now = await jobs.get(id);
    if (!now || ("erased" in now && now.erased)) return undefined;
    throw error;
  }
}

async function copyResult(deps: Uses<"jobs" | "storage">, origin: EndedJob, job: Job): Promise<CachedResult> {
  const { location: result, json } = await copyValue(deps, { from: origin, location: origin.result }, job, "result");
  const redactedResult =
    origin.redactedResult && (await copyValue(deps, { from: origin, location: origin.redactedResult }, job, "redacted")).location;
  // The stream is part of a run's result and is stored in its output. The rest of the output is not copied.
  const stream = origin.logChars === 0 ? "" : StreamLines.only(await loadLogs(deps, origin));
  return {
    stream,
    fields: { cachedFrom: origin.id, result, ...defined({ redactedResult, resultPreview: origin.resultPreview }), logChars: stream.length },
    ...defined({ resultJson: json }),
  };
}

/**
 * Returns the items of an earlier run's stream as the job's own output, to be written in one transaction with the job's end: a reader who sees
 * the end finds the stream, and an attempt that was lost has left no stream.
 */
export async function stageCachedStream(deps: Uses<"storage">, job: Job, { stream }: CachedResult): Promise<Child[]> {
  return stream === "" ? [] : [await stageOutput(deps, job, { attempt: Math.max(job.attempt, 1), offset: 0, text: stream })];
}

/** Returns the record of a job that is created as ended, with a cached result. */
export function createCachedJob(job: Job, { fields }: CachedResult, atMs: number): EndedJob {
  // The caller may die before it erases the run.
  const erase = job.eraseAfterS === undefined ? {} : { eraseAtMs: laterMs(atMs, job.eraseAfterS) };
  const expiresAtMs = expiryAfterEndMs(job, atMs);
  return { ...job, ...fields, ...erase, state: "succeeded", startedAtMs: atMs, endedAtMs: atMs, erased: false, expiresAtMs };
}

/** Records the cache key that only the job's worker could compute. Returns `undefined` if the attempt no longer counts. */
export async function recordCacheKey({ jobs }: Uses<"jobs">, job: Extract<Job, { state: "running" }>, key: string) {
  const change: HeadChange = { cacheKey: key };
  const noted = await jobs.update(job.id, change, {
    and: [
      { attr: "state", eq: "running" },
      { attr: "nonce", eq: job.nonce },
    ],
  });
  return noted?.state === "running" ? noted : undefined;
}

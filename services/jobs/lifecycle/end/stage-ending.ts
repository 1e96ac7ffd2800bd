import type { HeadChange } from "../../../../aws/dynamodb/job-items.ts";
import { buildEndPreviews } from "../../../../core/jobs/record/head-size.ts";
import type { EndState, Job } from "../../../../core/jobs/record/job.ts";
import type { Ending } from "../../../../core/jobs/record/lifecycle.ts";
import type { ValueLocation, ValueRef } from "../../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../../uses.ts";
import { type CachedResult, stageCachedStream } from "../../cache/cache.ts";
import { copyValue } from "../../values/values.ts";
import { stageLogs, stageResult } from "./stage-result.ts";
import type { StagedEnd } from "./staged-end.ts";

/** Stores the values of an end that no runner has reported. */
export async function stageEnding(
  deps: Uses<"jobs" | "storage">,
  job: Job,
  { state, resultJson, log = "" }: Ending,
  fields: HeadChange,
): Promise<StagedEnd> {
  const logChars = await stageLogs(deps, job, { offset: 0, text: log });
  const result = await stageResult(deps, job, resultJson);
  const more = { ...fields, logChars: Math.max(logChars, job.logChars) };
  return { state, result, fields: { ...more, ...buildEndPreviews(job, { result }, resultJson) } };
}

/** Stores a copy of a value as the result of a job. The job gets its own copy, so that each copy is erased with its job. */
export async function stageCopy(
  deps: Uses<"jobs" | "storage">,
  job: Job,
  state: EndState,
  { jobId, location, redacted }: ValueRef,
): Promise<StagedEnd> {
  const copy = (value: ValueLocation, kind: "result" | "redacted"): Promise<{ location: ValueLocation; json?: string }> =>
    jobId === job.id && value.in !== "head"
      ? Promise.resolve({ location: value })
      : copyValue(deps, { from: { id: jobId }, location: value }, job, kind);
  const [{ location: resultLocation, json }, redactedCopy] = await Promise.all([
    copy(location, "result"),
    redacted ? copy(redacted, "redacted") : undefined,
  ]);
  const result = resultLocation.in === "head" ? await stageResult(deps, job, resultLocation.json) : resultLocation;
  const redactedField = redactedCopy ? { redactedResult: redactedCopy.location } : {};
  return {
    state,
    result,
    fields: { ...redactedField, ...buildEndPreviews(job, { result, ...redactedField }, redactedCopy ? redactedCopy.json : json) },
    isReusable: state === "succeeded",
  };
}

/** Returns the end of a job that gets the result of an earlier run. Its stream becomes visible together with the end. */
export async function stageCached(deps: Uses<"storage">, job: Job, cached: CachedResult): Promise<StagedEnd> {
  const { result, ...fields } = cached.fields;
  return { state: "succeeded", result, fields, children: await stageCachedStream(deps, job, cached) };
}

import { limits } from "../../../contract/limits.ts";
import type { RunningJob } from "../../../core/jobs/record/job.ts";
import type { ValueLocation } from "../../../core/jobs/record/value-ref.ts";
import { addStreamToJson, extractStream, mayHoldStream, toResultWithStream } from "../../../core/streams/stream-lines.ts";
import type { RunOutcome } from "../../../runners/protocol.ts";
import type { Uses } from "../../uses.ts";
import { loadEarlierOutput } from "../values/values.ts";

type Logs = RunOutcome["logs"];

/** Returns a run's result together with the stream that it printed. `addStreamToUpload` does so for a result that the runner stored in S3. */
export async function addStreamToResult(
  deps: Uses<"jobs" | "storage">,
  job: RunningJob,
  { outcome, result, resultUploaded, logs }: Pick<RunOutcome, "outcome" | "result" | "resultUploaded" | "logs">,
): Promise<unknown> {
  if (outcome !== "success" || resultUploaded || !mayHoldStream(result)) return result;
  return toResultWithStream(result, await loadStream(deps, job, logs));
}

/**
 * Returns the location of a large result, which the runner stored at `key`, together with the stream that the run printed. The result with its
 * stream is another object, so repeating this is harmless. No redacted copy of a large result exists, so `logs` must be masked.
 */
export async function addStreamToUpload(
  deps: Uses<"jobs" | "storage">,
  job: RunningJob,
  logs: Logs,
  { key, bytes }: { key: string; bytes: number },
): Promise<ValueLocation> {
  const uploaded = { in: "s3", key, bytes } as const;
  const stream = await loadStream(deps, job, logs);
  if (stream === "") return uploaded;
  const found = await deps.storage.getObject(key, limits.resultBytes);
  const joined = found && "bytes" in found ? addStreamToJson(found.bytes, stream) : undefined;
  if (!joined) return uploaded;
  const joinedKey = key.replace(/(\.json)?$/, "-stream.json");
  await deps.storage.putObject(joinedKey, joined, "application/json");
  return { in: "s3", key: joinedKey, bytes: joined.length };
}

/** Loads the whole stream of a run. A longer run has sent the beginning of its output before. */
async function loadStream(deps: Uses<"jobs" | "storage">, job: RunningJob, logs: Logs): Promise<string> {
  const earlier = logs.offset > 0 ? await loadEarlierOutput(deps, job, logs.offset) : "";
  return extractStream(earlier + logs.text, true);
}

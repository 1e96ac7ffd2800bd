import type { RunningJob } from "../../../core/jobs/job.ts";
import { extractStream, mayHoldStream, toResultWithStream } from "../../../core/streams/stream-lines.ts";
import type { RunOutcome } from "../../../runners/protocol.ts";
import { loadEarlierOutput, type ValueDeps } from "../values/values.ts";

/** Returns a run's result together with the stream that it printed. A result that the runner stored in S3 remains as it is. */
export async function addStreamToResult(
  deps: ValueDeps,
  job: RunningJob,
  { outcome, result, resultUploaded, logs }: Pick<RunOutcome, "outcome" | "result" | "resultUploaded" | "logs">,
): Promise<unknown> {
  if (outcome !== "success" || resultUploaded || !mayHoldStream(result)) return result;
  // A longer run has sent the beginning of its output before.
  const earlier = logs.offset > 0 ? await loadEarlierOutput(deps, job, logs.offset) : "";
  return toResultWithStream(result, extractStream(earlier + logs.text, true));
}

import { fitsJobHead } from "../../../../core/jobs/record/head-size.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import type { ValueLocation } from "../../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../../uses.ts";
import { type OutputChunk, storeOutput, storeValueOutsideHead } from "../../values/values.ts";

/** Stores a result under an unused name, unless it fits into the job's head. */
export async function stageResult(deps: Uses<"jobs" | "storage">, job: Job, resultJson: string): Promise<ValueLocation> {
  return fitsJobHead(job, resultJson) ? { in: "head", json: resultJson } : storeValueOutsideHead(deps, job, "result", resultJson);
}

/** Stores the last output of an attempt, and returns the length of all its output (characters). */
export async function stageLogs(deps: Uses<"jobs" | "storage">, job: Job, logs: OutputChunk): Promise<number> {
  if (logs.text) await storeOutput(deps, job, { attempt: job.attempt, ...logs });
  return logs.offset + logs.text.length;
}
